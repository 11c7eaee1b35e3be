use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{
        Group, Identity, ListRoleBindingsRequest, ListRoleBindingsResponse,
        rpc::{CreateGroup, CreateIdentity, CreateRoleBinding, ListRoleBindings},
    },
};
use testkit::{Actor, Scenario, scenario};

use super::new_binding;
use crate::v2beta1::{
    built_in,
    groups::new_group,
    identities::{ci, new_identity},
};

/// Two identities with bindings in the organization and in a folder of it: the folder and the first identity.
async fn tree(s: &Scenario, admin: &Actor) -> (Group, Identity) {
    let org = s.server.organization().to_string();
    let folder: Group = s.quietly::<CreateGroup>(admin, new_group(&org, "team-a")).await.ok();
    let ci_1 = admin.must::<CreateIdentity>(new_identity(&org, "ci-1", Some(ci()))).await;
    let ci_2 = admin.must::<CreateIdentity>(new_identity(&org, "ci-2", Some(ci()))).await;
    for (parent, identity, role) in
        [(&org, &ci_1, "viewer"), (&org, &ci_2, "editor"), (&folder.uid, &ci_1, "editor"), (&folder.uid, &ci_2, "registry.pull")]
    {
        s.server.clock().advance_seconds(1);
        admin.must::<CreateRoleBinding>(new_binding(parent, &identity.uid, &built_in(role))).await;
    }
    (folder, ci_1)
}

/// Who is what where, and what the page counts.
fn line(page: &ListRoleBindingsResponse) -> String {
    let entry = |binding: &contract::chainguard::platform::iam::v2beta1::RoleBinding| {
        let name = |name: Option<&String>| name.cloned().unwrap_or_default();
        let identity = name(binding.identity.as_ref().map(|identity| &identity.name));
        let role = name(binding.role.as_ref().map(|role| &role.name));
        let folder = binding.group.as_ref().is_some_and(|group| group.uid.contains('/'));
        format!("{identity} {role}{}", if folder { " in the folder" } else { "" })
    };
    let entries: Vec<_> = page.role_bindings.iter().map(entry).collect();
    let more = if page.next_page_token.is_empty() { "last" } else { "more" };
    format!("{} ({} in all, {} skipped, {more})", entries.join(", "), page.total_count(), page.skipped)
}

#[tokio::test]
async fn filters_and_counts() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let (folder, ci) = tree(s, &admin).await;
        let org = s.server.organization().to_string();
        let oldest = ListRoleBindingsRequest { order_by: "created_at".into(), ..ListRoleBindingsRequest::default() };
        let below = |uidp: UidpFilter| ListRoleBindingsRequest { uidp: Some(uidp), ..oldest.clone() };
        for (title, request) in [
            ("everything", oldest.clone()),
            ("of an identity", ListRoleBindingsRequest { identity: ci.uid.clone(), ..oldest.clone() }),
            ("of a role", ListRoleBindingsRequest { role: built_in("editor"), ..oldest.clone() }),
            ("of a group", ListRoleBindingsRequest { group: folder.uid.clone(), ..oldest.clone() }),
            ("of the organization itself", ListRoleBindingsRequest { group: org.clone(), ..oldest.clone() }),
            ("below the organization", below(UidpFilter { descendants_of: org.clone(), ..UidpFilter::default() })),
            ("children of the folder", below(UidpFilter { children_of: folder.uid.clone(), ..UidpFilter::default() })),
            (
                "of an identity and a role",
                ListRoleBindingsRequest { identity: ci.uid.clone(), role: built_in("editor"), ..oldest.clone() },
            ),
            ("of a role that nobody has", ListRoleBindingsRequest { role: built_in("apk.push"), ..oldest.clone() }),
        ] {
            let page: ListRoleBindingsResponse = s.quietly::<ListRoleBindings>(&admin, request).await.ok();
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
        let (folder, ci) = tree(s, &admin).await;
        let oldest = ListRoleBindingsRequest { order_by: "created_at".into(), ..ListRoleBindingsRequest::default() };
        let of_ci = ListRoleBindingsRequest { identity: ci.uid, ..oldest.clone() };
        let below = folder.uid.parse().expect("a folder's uid");
        let viewer = s.server.workload(&below, "viewer", Some("viewer")).await;
        let idle = s.server.workload(s.server.organization(), "idle", None).await;
        for (title, actor) in [("a viewer of the folder", &viewer), ("an identity without a role", &idle)] {
            let page: ListRoleBindingsResponse = s.quietly::<ListRoleBindings>(actor, of_ci.clone()).await.ok();
            s.transcript.line(&format!("{title}: {}", line(&page)));
        }
        s.call::<ListRoleBindings>("a whole answer", &viewer, of_ci).await;
        s.call::<ListRoleBindings>("nobody", &s.server.nobody(), oldest.clone()).await;
        let wrong = |identity: &str, group: &str, role: &str| ListRoleBindingsRequest {
            identity: identity.into(),
            group: group.into(),
            role: role.into(),
            ..oldest.clone()
        };
        s.call::<ListRoleBindings>("filters that are no identifiers", &admin, wrong("a", "b", "c")).await;
        let by_name = ListRoleBindingsRequest { order_by: "name".into(), ..ListRoleBindingsRequest::default() };
        s.call::<ListRoleBindings>("an order by name, which bindings have not", &idle, by_name).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
