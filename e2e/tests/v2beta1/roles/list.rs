use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{
        Group, ListRolesRequest, ListRolesResponse,
        rpc::{CreateGroup, CreateRole, ListRoles},
    },
};
use testkit::scenario;

use super::new_role;
use crate::v2beta1::groups::new_group;

/// The names on the page and what it counts.
fn line(page: &ListRolesResponse) -> String {
    let names: Vec<_> = page.roles.iter().map(|role| role.name.as_str()).collect();
    let more = if page.next_page_token.is_empty() { "last" } else { "more" };
    format!("{} ({} in all, {} skipped, {more})", names.join(", "), page.total_count(), page.skipped)
}

#[tokio::test]
async fn lists_built_in_roles_for_everybody_and_custom_ones_where_they_may_be_seen() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(org.as_str(), "team-a")).await.ok();
        admin.must::<CreateRole>(new_role(org.as_str(), "of-the-organization", &["repo.list"])).await;
        s.server.clock().advance_seconds(1);
        admin.must::<CreateRole>(new_role(&folder.uid, "of-the-folder", &["repo.list"])).await;
        let by_name = ListRolesRequest { order_by: "name".into(), ..ListRolesRequest::default() };
        let below = folder.uid.parse().expect("a folder's uid");
        for (title, actor) in [
            ("an owner", admin.clone()),
            ("a viewer of the folder", s.server.workload(&below, "viewer", Some("viewer")).await),
            ("an identity without a role", s.server.workload(&org, "idle", None).await),
        ] {
            let page: ListRolesResponse = s.quietly::<ListRoles>(&actor, by_name.clone()).await.ok();
            s.transcript.line(&format!("{title}: {}", line(&page)));
        }
        let filtered = |uidp: UidpFilter| ListRolesRequest { uidp: Some(uidp), ..by_name.clone() };
        for (title, request) in [
            ("by name", ListRolesRequest { name: "viewer".into(), ..by_name.clone() }),
            ("built in, as children of /", filtered(UidpFilter { children_of: "/".into(), ..UidpFilter::default() })),
            ("built in, as roots", filtered(UidpFilter { in_root: true, ..UidpFilter::default() })),
            ("of the organization", filtered(UidpFilter { children_of: org.to_string(), ..UidpFilter::default() })),
            ("below the organization", filtered(UidpFilter { descendants_of: org.to_string(), ..UidpFilter::default() })),
        ] {
            let page: ListRolesResponse = s.quietly::<ListRoles>(&admin, request).await.ok();
            s.transcript.line(&format!("{title}: {}", line(&page)));
        }
    })
    .await;
    insta::assert_snapshot!(transcript);
}
