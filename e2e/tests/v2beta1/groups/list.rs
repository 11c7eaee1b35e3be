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
async fn pages_with_a_cursor_until_everything_was_seen() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let (org, _) = tree(s, &admin).await;
        for order in ["name", "name desc", "created_at desc", "uid", ""] {
            let mut request = ListGroupsRequest { page_size: 3, order_by: order.into(), ..below(&org) };
            loop {
                let page: ListGroupsResponse = s.quietly::<ListGroups>(&admin, request.clone()).await.ok();
                let more = if page.next_page_token.is_empty() { "last" } else { "more" };
                s.transcript.line(&format!("{order:?}: {} ({} in all, {more})", names(&page), page.total_count()));
                if page.next_page_token.is_empty() {
                    break;
                }
                request.page_token = page.next_page_token;
            }
        }
    })
    .await;
    insta::assert_snapshot!(transcript);
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

#[tokio::test]
async fn names_what_is_wrong_with_a_list() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let (org, _) = tree(s, &admin).await;
        let first: ListGroupsResponse =
            s.quietly::<ListGroups>(&admin, ListGroupsRequest { page_size: 2, ..below(&org) }).await.ok();
        let token = first.next_page_token;
        let with = |page_token: String| ListGroupsRequest { page_size: 2, page_token, ..below(&org) };
        s.call::<ListGroups>("a negative page size", &admin, ListGroupsRequest { page_size: -1, ..below(&org) }).await;
        s.call::<ListGroups>("a negative skip", &admin, ListGroupsRequest { skip: -1, ..below(&org) }).await;
        s.call::<ListGroups>("an unknown order", &admin, ListGroupsRequest { order_by: "size".into(), ..below(&org) }).await;
        s.call::<ListGroups>("a filter that is no identifier", &admin, below("nonsense")).await;
        s.call::<ListGroups>("a forged page token", &admin, with("bm9uc2Vuc2U".into())).await;
        let altered: String = token.chars().rev().collect();
        s.call::<ListGroups>("an altered page token", &admin, with(altered)).await;
        let reordered = ListGroupsRequest { order_by: "name".into(), ..with(token.clone()) };
        s.call::<ListGroups>("a page token with another order", &admin, reordered).await;
        let refiltered = ListGroupsRequest { name: "a".into(), ..with(token.clone()) };
        s.call::<ListGroups>("a page token with another filter", &admin, refiltered).await;
        let second: ListGroupsResponse = s.quietly::<ListGroups>(&admin, with(token.clone())).await.ok();
        s.server.clock().advance_seconds(3 * 24 * 3600 + 1);
        let admin = s.server.admin_again().await;
        let restarted: ListGroupsResponse = s.quietly::<ListGroups>(&admin, with(token)).await.ok();
        assert_eq!(restarted.groups, first.groups, "an expired page token starts from the beginning");
        assert_ne!(second.groups, first.groups);
    })
    .await;
    insta::assert_snapshot!(transcript);
}
