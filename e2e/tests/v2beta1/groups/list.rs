use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{
        Group, ListGroupsRequest, ListGroupsResponse,
        rpc::{CreateGroup, ListGroups},
    },
};
use testkit::{Actor, Scenario, scenario};

use super::new_group;

/// Five folders below the organization, one of them with a child, named against the order of their creation.
async fn tree(s: &Scenario, admin: &Actor) -> (String, String) {
    let org = s.server.organization().to_string();
    let mut last = String::new();
    for name in ["e", "d", "c", "b", "a"] {
        last = s.quietly::<CreateGroup>(admin, new_group(&org, name)).await.ok::<Group>().uid;
        s.server.clock().advance_seconds(1);
    }
    s.quietly::<CreateGroup>(admin, new_group(&last, "child")).await.ok::<Group>();
    (org, last)
}

fn below(org: &str) -> ListGroupsRequest {
    let uidp = UidpFilter { descendants_of: org.into(), ..UidpFilter::default() };
    ListGroupsRequest { uidp: Some(uidp), ..ListGroupsRequest::default() }
}

fn names(page: &ListGroupsResponse) -> String {
    page.groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn skips_filters_and_counts_exactly() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let (org, parent) = tree(s, &admin).await;
        let by_name = ListGroupsRequest { order_by: "name".into(), ..below(&org) };
        let mut line = async |title: &str, request: ListGroupsRequest| {
            let page: ListGroupsResponse = s.quietly::<ListGroups>(&admin, request).await.ok();
            let (total, skipped) = (page.total_count(), page.skipped);
            s.transcript.line(&format!("{title}: {} ({total} in all, {skipped} skipped)", names(&page)));
        };
        line("skip", ListGroupsRequest { skip: 4, ..by_name.clone() }).await;
        line("skip past the end", ListGroupsRequest { skip: 100, ..by_name.clone() }).await;
        line("by name", ListGroupsRequest { name: "c".into(), ..by_name.clone() }).await;
        let filtered = |uidp: UidpFilter| ListGroupsRequest { uidp: Some(uidp), ..by_name.clone() };
        line("children only", filtered(UidpFilter { children_of: org.clone(), ..UidpFilter::default() })).await;
        line("ancestors", filtered(UidpFilter { ancestors_of: parent.clone(), ..UidpFilter::default() })).await;
        line("roots", filtered(UidpFilter { in_root: true, ..UidpFilter::default() })).await;
        line("children of everything", filtered(UidpFilter { children_of: "/".into(), ..UidpFilter::default() })).await;
        line("by id", filtered(UidpFilter { ids: vec![parent.clone(), org.clone()], ..UidpFilter::default() })).await;
        line("an empty filter", filtered(UidpFilter::default())).await;
        let both = UidpFilter { descendants_of: parent.clone(), children_of: org.clone(), ..UidpFilter::default() };
        line("both must hold", filtered(both)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
