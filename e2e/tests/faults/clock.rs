//! A clock that is set back by an hour.

use client::Options;
use contract::chainguard::platform::iam::v2beta1::{
    CreateGroupRequest, GetGroupRequest, Group, ListGroupsRequest, ListGroupsResponse, UpdateGroupRequest,
    rpc::{CreateGroup, GetGroup, ListGroups, UpdateGroup},
};
use testkit::{Actor, Outcome, Scenario, scenario};

const HOUR: i64 = 3600;

async fn create(s: &Scenario, actor: &Actor, name: &str, key: Option<&str>) -> Outcome {
    let group = Group { name: name.into(), ..Group::default() };
    let request = CreateGroupRequest { parent: s.server.organization().to_string(), group: Some(group) };
    let options = Options { idempotency_key: key.map(str::to_owned), ..Options::default() };
    s.quietly_with::<CreateGroup>(actor, request, &options).await
}

fn by_age(page_token: &str) -> ListGroupsRequest {
    let (page_size, order_by, page_token) = (2, "created_at".into(), page_token.into());
    ListGroupsRequest { page_size, order_by, page_token, ..ListGroupsRequest::default() }
}

#[tokio::test]
async fn tokens_from_the_future_wait_and_new_ones_work_at_once() {
    scenario(async |s| {
        let before = s.server.admin();
        let get = || GetGroupRequest { uid: s.server.organization().to_string() };
        s.server.clock().advance_seconds(-HOUR);
        let early = s.quietly::<GetGroup>(&before, get()).await;
        assert_eq!(early.code, "UNAUTHENTICATED", "{:#}", early.body);
        let message = early.body["message"].as_str().unwrap_or_default();
        assert!(message.contains("from the future"), "it says what is wrong: {message}");
        let now = s.server.admin_again().await;
        assert_eq!(s.quietly::<GetGroup>(&now, get()).await.code, "OK");
        s.server.clock().advance_seconds(HOUR - 60);
        assert_eq!(s.quietly::<GetGroup>(&before, get()).await.code, "OK", "a minute is within what clocks may differ");
    })
    .await;
}

#[tokio::test]
async fn keys_and_page_tokens_keep_their_meaning() {
    scenario(async |s| {
        let admin = s.server.admin();
        let first = create(s, &admin, "a", Some("key")).await;
        create(s, &admin, "b", None).await;
        let page: ListGroupsResponse = s.quietly::<ListGroups>(&admin, by_age("")).await.ok();
        s.server.clock().advance_seconds(-HOUR);
        let admin = s.server.admin_again().await;
        assert_eq!(create(s, &admin, "a", Some("key")).await, first, "the key is not free again");
        let rest: ListGroupsResponse = s.quietly::<ListGroups>(&admin, by_age(&page.next_page_token)).await.ok();
        assert_eq!((page.groups.len(), rest.groups.len(), rest.total_count()), (2, 1, 3), "the list goes on where it was");
    })
    .await;
}

#[tokio::test]
async fn lists_by_time_are_whole_and_changes_keep_their_order() {
    scenario(async |s| {
        let older: Group = create(s, &s.server.admin(), "first", None).await.ok();
        s.server.clock().advance_seconds(-HOUR);
        let admin = s.server.admin_again().await;
        let newer: Group = create(s, &admin, "second", None).await.ok();
        let renamed = Group { uid: older.uid.clone(), name: "renamed".into(), ..Group::default() };
        let tag = s.quietly::<GetGroup>(&admin, GetGroupRequest { uid: older.uid.clone() }).await.etag;
        let update = UpdateGroupRequest { group: Some(renamed), update_mask: None };
        let updated =
            s.quietly_with::<UpdateGroup>(&admin, update, &Options { if_match: tag.clone(), ..Options::default() }).await;
        assert_ne!(updated.etag, tag, "versions follow the writes, not the clock: {:#}", updated.body);
        let updated: Group = updated.ok();
        assert_eq!(updated.create_time, older.create_time);

        let (mut seen, mut page_token) = (Vec::new(), String::new());
        loop {
            let page: ListGroupsResponse = s.quietly::<ListGroups>(&admin, by_age(&page_token)).await.ok();
            seen.extend(page.groups);
            if page.next_page_token.is_empty() {
                break;
            }
            page_token = page.next_page_token;
        }
        let at = |uid: &str| seen.iter().position(|group| group.uid == uid).expect("it is listed");
        assert_eq!(seen.len(), 3, "nothing is missed or repeated");
        assert!(at(&newer.uid) < at(&older.uid), "the order is that of the times that the clock told");
    })
    .await;
}
