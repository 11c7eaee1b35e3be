//! Page tokens that are not of this list, this server or this hand.

use contract::chainguard::platform::iam::v2beta1::{
    CreateGroupRequest, Group, ListGroupsRequest, ListGroupsResponse, ListIdentitiesRequest,
    rpc::{CreateGroup, ListGroups, ListIdentities},
};
use testkit::{Outcome, Scenario, Setup, TestServer, Transport, scenario};

fn page(page_token: &str) -> ListGroupsRequest {
    ListGroupsRequest { page_size: 2, page_token: page_token.into(), ..ListGroupsRequest::default() }
}

/// A page token of a list of five groups.
async fn token(server: &TestServer) -> String {
    for name in ["a", "b", "c", "d"] {
        let group = Group { name: name.into(), ..Group::default() };
        let create = CreateGroupRequest { parent: server.organization().to_string(), group: Some(group) };
        server.admin().must::<CreateGroup>(create).await;
    }
    server.admin().must::<ListGroups>(page("")).await.next_page_token
}

async fn list(s: &Scenario, token: &str) -> Outcome {
    s.quietly::<ListGroups>(&s.server.admin(), page(token)).await
}

fn rule(outcome: &Outcome) -> (&str, &str, &str) {
    let details = &outcome.body["details"];
    let field = details[1]["fieldViolations"][0]["field"].as_str();
    (&outcome.code, details[0]["metadata"]["rule"].as_str().unwrap_or_default(), field.unwrap_or_default())
}

#[tokio::test]
async fn tokens_of_other_methods_and_servers_are_refused() {
    scenario(async |s| {
        let own = token(&s.server).await;
        assert_eq!(list(s, &own).await.code, "OK");
        let elsewhere = ListIdentitiesRequest { page_size: 2, page_token: own.clone(), ..ListIdentitiesRequest::default() };
        let of_groups = s.quietly::<ListIdentities>(&s.server.admin(), elsewhere).await;
        assert_eq!(rule(&of_groups), ("INVALID_ARGUMENT", "PAGE_TOKEN_MISMATCH", "page_token"));

        let other = TestServer::start_with(Setup { entropy: 1_000_000, ..Setup::default() }).await;
        let foreign = token(&other).await;
        other.stop().await;
        assert_eq!(rule(&list(s, &foreign).await), ("INVALID_ARGUMENT", "PAGE_TOKEN", "page_token"));
    })
    .await;
}

#[tokio::test]
async fn no_character_of_a_token_can_be_another() {
    scenario(async |s| {
        let own = token(&s.server).await;
        // Over the faster transport each character, over the other one in eight.
        let step = if s.transport == Transport::Grpc { 1 } else { 8 };
        for at in (0..own.len()).step_by(step) {
            let other = if own.as_bytes()[at] == b'A' { "B" } else { "A" };
            let mut altered = own.clone();
            altered.replace_range(at..=at, other);
            assert_eq!(rule(&list(s, &altered).await), ("INVALID_ARGUMENT", "PAGE_TOKEN", "page_token"), "{at}");
        }
        for altered in [&own[1..], &own[..own.len() - 1], &format!("{own}A"), &format!("{own}="), &format!("{own}{own}"), " "] {
            assert_eq!(rule(&list(s, altered).await), ("INVALID_ARGUMENT", "PAGE_TOKEN", "page_token"), "{altered}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_skip_counts_from_the_cursor_and_may_go_beyond_the_end() {
    scenario(async |s| {
        let own = token(&s.server).await;
        let all: ListGroupsResponse = s.quietly::<ListGroups>(&s.server.admin(), ListGroupsRequest::default()).await.ok();
        for (skip, left) in [(1, 2), (2, 1), (3, 0), (1_000_000, 0), (i32::MAX, 0)] {
            let request = ListGroupsRequest { skip, ..page(&own) };
            let got: ListGroupsResponse = s.quietly::<ListGroups>(&s.server.admin(), request).await.ok();
            let from = all.groups.len() - left;
            assert_eq!(got.groups, all.groups[from..], "skip {skip}");
            assert_eq!((got.total_count(), got.skipped, got.next_page_token.as_str()), (5, skip, ""), "skip {skip}");
        }
    })
    .await;
}
