use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{Group, rpc::CreateGroup},
    registry::v2beta1::{
        ListReposRequest, ListReposResponse,
        rpc::{CreateRepo, ListRepos},
    },
};
use testkit::{Actor, Scenario, scenario};

use super::new_repo;
use crate::v2beta1::groups::new_group;

/// Repos in the organization and in a folder of it, and the folder.
async fn tree(s: &Scenario, admin: &Actor) -> Group {
    let org = s.server.organization().to_string();
    let folder: Group = s.quietly::<CreateGroup>(admin, new_group(&org, "team-a")).await.ok();
    for (parent, name) in [(&org, "b"), (&org, "a"), (&folder.uid, "c"), (&folder.uid, "a")] {
        s.server.clock().advance_seconds(1);
        admin.must::<CreateRepo>(new_repo(parent, name)).await;
    }
    folder
}

/// The names on the page and what it counts.
fn line(page: &ListReposResponse) -> String {
    let names: Vec<_> = page.repos.iter().map(|repo| repo.name.as_str()).collect();
    let more = if page.next_page_token.is_empty() { "last" } else { "more" };
    format!("{} ({} in all, {} skipped, {more})", names.join(" "), page.total_count(), page.skipped)
}

#[tokio::test]
async fn filters_and_counts() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let folder = tree(s, &admin).await;
        let org = s.server.organization().to_string();
        let by_name = ListReposRequest { order_by: "name".into(), ..ListReposRequest::default() };
        let below = |uidp: UidpFilter| ListReposRequest { uidp: Some(uidp), ..by_name.clone() };
        for (title, request) in [
            ("everything", by_name.clone()),
            ("by name", ListReposRequest { name: Some("a".into()), ..by_name.clone() }),
            ("by a name that none has", ListReposRequest { name: Some("z".into()), ..by_name.clone() }),
            ("of the organization itself", below(UidpFilter { children_of: org.clone(), ..UidpFilter::default() })),
            ("of the folder", below(UidpFilter { descendants_of: folder.uid.clone(), ..UidpFilter::default() })),
            ("children of /, where no repos are", below(UidpFilter { children_of: "/".into(), ..UidpFilter::default() })),
        ] {
            let page: ListReposResponse = s.quietly::<ListRepos>(&admin, request).await.ok();
            s.transcript.line(&format!("{title}: {}", line(&page)));
        }
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn shows_to_each_caller_what_it_may_see() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let folder = tree(s, &admin).await;
        let org = s.server.organization().clone();
        let by_name = || ListReposRequest { order_by: "name".into(), ..ListReposRequest::default() };
        let below = folder.uid.parse().expect("a folder's uid");
        for (title, actor) in [
            ("who may pull from the folder", s.server.workload(&below, "folder-puller", Some("registry.pull")).await),
            ("who may pull from the organization", s.server.workload(&org, "puller", Some("registry.pull")).await),
            ("an identity without a role", s.server.workload(&org, "idle", None).await),
            ("a stranger", s.server.stranger().await),
        ] {
            let page: ListReposResponse = s.quietly::<ListRepos>(&actor, by_name()).await.ok();
            s.transcript.line(&format!("{title}: {}", line(&page)));
        }
        s.call::<ListRepos>("a whole answer", &admin, ListReposRequest { name: Some("b".into()), ..by_name() }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
