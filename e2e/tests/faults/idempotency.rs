//! Requests that arrive more than once. What each noun does with a key stands with the noun; here is what holds for all.

use client::{Options, http::Request};
use contract::chainguard::platform::{
    iam::v2beta1::{
        CreateGroupRequest, DeleteRoleBindingRequest, Group, ListGroupsRequest, ListGroupsResponse, ListRoleBindingsRequest,
        ListRoleBindingsResponse,
        rpc::{CreateGroup, DeleteRoleBinding, ListGroups, ListRoleBindings},
    },
    oidc::{ExchangeRequest, RawToken, rpc::Exchange},
};
use serde_json::json;
use testkit::{Actor, Outcome, Scenario, Transport, scenario};
use tokio::task::JoinSet;

fn folder(s: &Scenario, name: &str) -> CreateGroupRequest {
    let group = Group { name: name.into(), ..Group::default() };
    CreateGroupRequest { parent: s.server.organization().to_string(), group: Some(group) }
}

async fn create(s: &Scenario, actor: &Actor, key: &str, name: &str) -> Outcome {
    let options = Options { idempotency_key: Some(key.into()), ..Options::default() };
    actor.call_with::<CreateGroup>(s.transport, folder(s, name), &options).await
}

/// How many folders of this name there are.
async fn count(s: &Scenario, name: &str) -> i64 {
    let named = ListGroupsRequest { name: name.into(), ..ListGroupsRequest::default() };
    let page: ListGroupsResponse = s.quietly::<ListGroups>(&s.server.admin_again().await, named).await.ok();
    page.total_count()
}

#[tokio::test]
async fn a_retry_is_answered_and_not_applied() {
    scenario(async |s| {
        let admin = s.server.admin();
        let first = create(s, &admin, "key", "once").await;
        assert_eq!(first.code, "OK", "{:#}", first.body);
        s.server.clock().advance_seconds(60);
        assert_eq!(create(s, &admin, "key", "once").await, first, "the whole answer, entity tag and times included");
        assert_eq!(count(s, "once").await, 1);

        let other = create(s, &admin, "key", "other").await;
        assert_eq!(other.code, "INVALID_ARGUMENT");
        assert_eq!(other.body["details"][0]["metadata"]["rule"], "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(count(s, "other").await, 0);

        s.server.clock().advance_seconds(24 * 3600);
        let admin = s.server.admin_again().await;
        let later = create(s, &admin, "key", "once").await;
        assert_ne!(later.body["uid"], first.body["uid"], "a day later the key is free");
        assert_eq!(count(s, "once").await, 2);
    })
    .await;
}

#[tokio::test]
async fn a_retry_may_come_by_the_other_transport() {
    scenario(async |s| {
        let admin = s.server.admin();
        let first = create(s, &admin, "key", "once").await;
        s.transport = if s.transport == Transport::Json { Transport::Grpc } else { Transport::Json };
        assert_eq!(create(s, &admin, "key", "once").await, first);
        assert_eq!(count(s, "once").await, 1);
    })
    .await;
}

#[tokio::test]
async fn keys_belong_to_one_caller_and_one_narrowing() {
    scenario(async |s| {
        let admin = s.server.admin();
        let editor = s.server.workload(s.server.organization(), "editor", Some("owner")).await;
        let here_alone = ExchangeRequest { scopes: vec![s.server.organization().to_string()], ..ExchangeRequest::default() };
        let token: RawToken = s.quietly::<Exchange>(&admin, here_alone).await.ok();
        let narrowed = s.server.bearer(&token.token);
        let mut uids = Vec::new();
        for actor in [&admin, &editor, &narrowed] {
            uids.push(create(s, actor, "key", "once").await.ok::<Group>().uid);
        }
        uids.sort();
        uids.dedup();
        assert_eq!((uids.len(), count(s, "once").await), (3, 3), "the same key of three callers is three keys");
    })
    .await;
}

#[tokio::test]
async fn what_may_not_be_done_may_not_be_replayed() {
    scenario(async |s| {
        let admin = s.server.admin();
        let editor = s.server.workload(s.server.organization(), "editor", Some("owner")).await;
        let first = create(s, &editor, "key", "once").await;
        assert_eq!(first.code, "OK", "{:#}", first.body);
        let bindings = ListRoleBindingsRequest { identity: editor.uid().to_string(), ..ListRoleBindingsRequest::default() };
        let bindings: ListRoleBindingsResponse = s.quietly::<ListRoleBindings>(&admin, bindings).await.ok();
        let unbind = DeleteRoleBindingRequest { uid: bindings.role_bindings[0].uid.clone() };
        s.quietly::<DeleteRoleBinding>(&admin, unbind).await.ok::<()>();
        let replay = create(s, &editor, "key", "once").await;
        assert_eq!(replay.code, "PERMISSION_DENIED", "{:#}", replay.body);
        assert!(!replay.body.to_string().contains(first.body["uid"].as_str().expect("a uid")), "{:#}", replay.body);
    })
    .await;
}

#[tokio::test]
async fn what_failed_is_tried_again() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let repo = || Request::post(format!("/registry/v2beta1/repos/{org}"), &json!({"name": "app"}));
        let taken = admin.http(repo()).await.json()["uid"].as_str().expect("a uid").to_owned();
        assert_eq!(admin.http(repo().header("idempotency-key", "key")).await.status, 409);
        assert_eq!(admin.http(Request::delete(format!("/registry/v2beta1/repos/{taken}"))).await.status, 200);
        let again = admin.http(repo().header("idempotency-key", "key")).await;
        assert_eq!(again.status, 200, "a failure leaves no claim: {}", again.text());
    })
    .await;
}

#[tokio::test]
async fn many_at_once_are_applied_once() {
    scenario(async |s| {
        let admin = s.server.admin();
        let mut race = JoinSet::new();
        for _ in 0..24 {
            let (admin, transport, request) = (admin.clone(), s.transport, folder(s, "once"));
            let options = Options { idempotency_key: Some("key".into()), ..Options::default() };
            race.spawn(async move { admin.call_with::<CreateGroup>(transport, request, &options).await });
        }
        let outcomes = race.join_all().await;
        let (done, refused): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(|outcome| outcome.code == "OK");
        assert!(done.iter().all(|outcome| *outcome == done[0]), "{done:#?}");
        for outcome in refused {
            assert_eq!(outcome.body["details"][0]["metadata"]["rule"], "IDEMPOTENT_REQUEST_RUNNING", "{:#}", outcome.body);
        }
        assert_eq!(create(s, &admin, "key", "once").await, done[0], "in the end everybody gets the one answer");
        assert_eq!(count(s, "once").await, 1);
    })
    .await;
}
