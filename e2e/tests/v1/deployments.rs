use client::Options;
use contract::chainguard::platform::registry::{
    CreateDeploymentRequest, Deployment, GetDeploymentRequest, HelmChart, UpdateDeploymentRequest,
    rpc::{CreateDeployment, GetDeployment, UpdateDeployment},
    v2beta1::{DeleteRepoRequest, rpc::DeleteRepo},
};
use testkit::scenario;

use crate::v2beta1::{absent, tags::make_repo};

fn chart(repo: &str) -> HelmChart {
    HelmChart { repo: repo.into(), ..HelmChart::default() }
}

fn new(repo: &str, charts: &[HelmChart]) -> CreateDeploymentRequest {
    CreateDeploymentRequest { parent_id: repo.into(), charts: charts.to_vec() }
}

fn update(repo: &str, charts: &[HelmChart]) -> UpdateDeploymentRequest {
    UpdateDeploymentRequest { repo_id: repo.into(), charts: charts.to_vec() }
}

#[tokio::test]
async fn a_repo_has_one_as_long_as_it_has_charts() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let repo = make_repo(s, &admin, "app").await.uid;
        s.name(&repo, "repo");
        let get = GetDeploymentRequest { repo_id: repo.clone() };
        s.call::<GetDeployment>("none yet", &admin, get.clone()).await;
        s.call::<UpdateDeployment>("nor is there one to change", &admin, update(&repo, &[chart("oci://x.example")])).await;
        let named = HelmChart { source: Some(String::new()), chart: Some("app".into()), ..chart("https://charts.example.com") };
        let rehearsal = Options { validate_only: true, ..Options::default() };
        let rehearsed = s.quietly_with::<CreateDeployment>(&admin, new(&repo, std::slice::from_ref(&named)), &rehearsal).await;
        assert_eq!(rehearsed.code, "OK", "{:#}", rehearsed.body);
        let made = s.call::<CreateDeployment>("one", &admin, new(&repo, &[named, chart("oci://y.example")])).await;
        assert_eq!(s.quietly::<GetDeployment>(&admin, get.clone()).await, made);
        s.call::<CreateDeployment>("another one", &admin, new(&repo, &[chart("oci://x.example")])).await;
        let stale = Options { if_match: Some("\"0\"".into()), ..Options::default() };
        let refused = s.quietly_with::<UpdateDeployment>(&admin, update(&repo, &[]), &stale).await;
        assert_eq!(refused.code, "ABORTED", "{:#}", refused.body);
        let changed = s.call::<UpdateDeployment>("other charts", &admin, update(&repo, &[chart("http://localhost:1/x")])).await;
        assert_eq!(s.quietly::<UpdateDeployment>(&admin, update(&repo, &[chart("http://localhost:1/x")])).await, changed);
        s.call::<UpdateDeployment>("no charts: it goes", &admin, update(&repo, &[])).await;
        s.call::<UpdateDeployment>("and may be gone", &admin, update(&repo, &[])).await;
        s.call::<GetDeployment>("it is", &admin, get.clone()).await;
        let again: Deployment = s.quietly::<CreateDeployment>(&admin, new(&repo, &[chart("oci://x.example")])).await.ok();
        assert_eq!(again.charts.len(), 1);
        admin.must::<DeleteRepo>(DeleteRepoRequest { uid: repo }).await;
        s.call::<GetDeployment>("it goes with its repo", &admin, get).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn name_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let repo = make_repo(s, &admin, "app").await.uid;
        s.call::<CreateDeployment>("no charts", &admin, new(&repo, &[])).await;
        let charts = [chart(""), chart("http://charts.example.com"), chart("https://me@charts.example.com"), chart("ftp://x")];
        s.call::<CreateDeployment>("from places of all sorts", &admin, new(&repo, &charts)).await;
        let many = vec![chart("oci://x.example"); 101];
        s.call::<UpdateDeployment>("too many", &admin, update(&repo, &many)).await;
        s.call::<CreateDeployment>("of no repo", &admin, new(&absent(&repo), &[chart("oci://x.example")])).await;
        s.call::<UpdateDeployment>("of no repo, none", &admin, update(&absent(&repo), &[])).await;
        s.call::<GetDeployment>("of something else", &admin, GetDeploymentRequest { repo_id: org.to_string() }).await;
        let viewer = s.server.workload(&org, "viewer", Some("viewer")).await;
        s.call::<CreateDeployment>("by a viewer", &viewer, new(&repo, &[chart("oci://x.example")])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
