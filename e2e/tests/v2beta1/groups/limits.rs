//! How much an organization may have.

use client::Options;
use contract::{
    chainguard::platform::{
        iam::{
            self as old,
            rpc::GroupsList,
            v2beta1::{
                BatchCreateRoleBindingsRequest, GetGroupRequest, Group, UpdateGroupRequest,
                rpc::{BatchCreateRoleBindings, CreateGroup, GetGroup, UpdateGroup},
            },
        },
        registry::v2beta1::{
            CreateRepoRequest, DeleteRepoRequest, Repo,
            rpc::{CreateRepo, DeleteRepo},
        },
    },
    provost::iam::v1::{
        GetResourceLimitsRequest, ResourceLimits, SetResourceLimitsRequest,
        rpc::{GetResourceLimits, SetResourceLimits},
    },
};
use testkit::{Actor, Outcome, scenario};

use super::new_group;
use crate::v2beta1::{built_in, mask, role_bindings::new_binding};

fn set(uid: &str, limits: &[(&str, i32)]) -> SetResourceLimitsRequest {
    let limits = limits.iter().map(|(what, most)| ((*what).to_owned(), *most)).collect();
    SetResourceLimitsRequest { uid: uid.to_owned(), limits }
}

fn repo(parent: &str, name: &str) -> CreateRepoRequest {
    CreateRepoRequest { parent: parent.to_owned(), repo: Some(Repo { name: name.to_owned(), ..Repo::default() }) }
}

async fn limits(who: &Actor, uid: &str) -> ResourceLimits {
    who.must::<GetResourceLimits>(GetResourceLimitsRequest { uid: uid.to_owned() }).await
}

fn is_full(outcome: &Outcome) -> bool {
    outcome.code == "FAILED_PRECONDITION" && outcome.body.to_string().contains("GROUP_FULL")
}

#[tokio::test]
async fn nothing_is_added_to_what_is_full() {
    let transcript = scenario(async |s| {
        let (admin, operator) = (s.server.admin(), s.server.operator().await);
        let org = s.server.organization().to_string();
        let get = GetResourceLimitsRequest { uid: org.clone() };
        s.call::<SetResourceLimits>("only operators limit", &admin, set(&org, &[("repos", 1)])).await;
        s.call::<SetResourceLimits>("as an operator", &operator, set(&org, &[("repos", 1), ("groups", 1)])).await;
        let team = admin.must::<CreateGroup>(new_group(&org, "team")).await;
        s.name(&team.uid, "team");
        s.call::<CreateGroup>("a folder too many", &admin, new_group(&team.uid, "below")).await;
        let app = admin.must::<CreateRepo>(repo(&team.uid, "app")).await;
        s.name(&app.uid, "app");
        s.call::<CreateRepo>("a repo too many, elsewhere", &admin, repo(&org, "web")).await;
        s.call::<GetResourceLimits>("what there is", &admin, get.clone()).await;
        s.call::<GetGroup>("the organization shows them", &admin, GetGroupRequest { uid: org.clone() }).await;
        let list = old::GroupFilter { id: org.clone(), ..old::GroupFilter::default() };
        s.call::<GroupsList>("as does v1", &admin, list).await;
        admin.must::<DeleteRepo>(DeleteRepoRequest { uid: app.uid }).await;
        let web = admin.must::<CreateRepo>(repo(&org, "web")).await;
        s.name(&web.uid, "web");
        s.call::<SetResourceLimits>("none any more", &operator, set(&org, &[])).await;
        admin.must::<CreateRepo>(repo(&org, "more")).await;
        s.call::<SetResourceLimits>("of a folder", &operator, set(&team.uid, &[])).await;
        s.call::<SetResourceLimits>("of nothing known", &operator, set(&org, &[("tags", 1), ("roles", -1)])).await;
        s.call::<SetResourceLimits>("no such organization", &operator, set(&"0".repeat(40), &[])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_batch_is_counted_as_a_whole() {
    scenario(async |s| {
        let (admin, operator) = (s.server.admin(), s.server.operator().await);
        let org = s.server.organization().to_string();
        let one = s.server.workload(s.server.organization(), "one", None).await;
        let held = limits(&admin, &org).await.used["role_bindings"];
        let most = i32::try_from(held + 1).expect("few bindings");
        operator.must::<SetResourceLimits>(set(&org, &[("role_bindings", most)])).await;
        let one = one.identity.expect("a workload").to_string();
        let binding = |role: &str| new_binding(&org, &one, &built_in(role));
        let both = BatchCreateRoleBindingsRequest {
            parent: org.clone(),
            requests: vec![binding("viewer"), binding("editor")],
            role_uid: String::new(),
        };
        let outcome = s.quietly::<BatchCreateRoleBindings>(&admin, both).await;
        assert!(is_full(&outcome), "{outcome:?}");
        assert_eq!(limits(&admin, &org).await.used["role_bindings"], held, "none of them stays");
        let fits =
            BatchCreateRoleBindingsRequest { parent: org.clone(), requests: vec![binding("viewer")], role_uid: String::new() };
        assert_eq!(s.quietly::<BatchCreateRoleBindings>(&admin, fits).await.code, "OK");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_are_no_more() {
    scenario(async |s| {
        let (admin, operator) = (s.server.admin(), s.server.operator().await);
        let org = s.server.organization().to_string();
        operator.must::<SetResourceLimits>(set(&org, &[("repos", 3)])).await;
        let names: Vec<_> = (0..12).map(|number| format!("repo-{number}")).collect();
        let calls = names.iter().map(|name| s.quietly::<CreateRepo>(&admin, repo(&org, name)));
        let outcomes = futures::future::join_all(calls).await;
        let made = outcomes.iter().filter(|outcome| outcome.code == "OK").count();
        let refused = outcomes.iter().filter(|outcome| is_full(outcome)).count();
        assert_eq!((made, refused), (3, 9), "{outcomes:?}");
    })
    .await;
}

#[tokio::test]
async fn no_other_change_touches_them() {
    scenario(async |s| {
        let (admin, operator) = (s.server.admin(), s.server.operator().await);
        let org = s.server.organization().to_string();
        let first = s.quietly::<SetResourceLimits>(&operator, set(&org, &[("repos", 1)])).await;
        let again = s.quietly::<SetResourceLimits>(&operator, set(&org, &[("repos", 1)])).await;
        assert!(first.etag.is_some() && first.etag == again.etag, "{first:?} {again:?}");
        let rehearsed = Options { validate_only: true, ..Options::default() };
        s.quietly_with::<SetResourceLimits>(&operator, set(&org, &[]), &rehearsed).await;
        let team = admin.must::<CreateGroup>(new_group(&org, "team")).await;
        for (uid, most) in [(&org, Some(1)), (&team.uid, None)] {
            let resource_limits = [("repos".to_owned(), 9)].into();
            let group = Some(Group { uid: uid.clone(), name: "other".to_owned(), resource_limits, ..Group::default() });
            let wish = UpdateGroupRequest { group, update_mask: mask(&["name", "description"]) };
            let changed = admin.must::<UpdateGroup>(wish).await;
            assert_eq!(changed.resource_limits.get("repos").copied(), most);
        }
    })
    .await;
}

#[tokio::test]
async fn what_there_is_too_much_of_stays() {
    scenario(async |s| {
        let (admin, operator) = (s.server.admin(), s.server.operator().await);
        let org = s.server.organization().to_string();
        let app = admin.must::<CreateRepo>(repo(&org, "app")).await;
        admin.must::<CreateRepo>(repo(&org, "web")).await;
        operator.must::<SetResourceLimits>(set(&org, &[("repos", 1)])).await;
        assert_eq!(limits(&admin, &org).await.used["repos"], 2);
        admin.must::<DeleteRepo>(DeleteRepoRequest { uid: app.uid }).await;
        assert!(is_full(&s.quietly::<CreateRepo>(&admin, repo(&org, "app")).await), "one is as many as it may have");
    })
    .await;
}
