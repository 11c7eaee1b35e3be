//! A session that one node has begun is every node's: they agree on each next refresh token.

use contract::chainguard::platform::oidc::{
    ExchangeRefreshTokenRequest, ExchangeRequest,
    rpc::{Exchange, ExchangeRefreshToken},
};
use serde_json::json;
use testkit::{TestServer, Transport};
use tokio::task::JoinSet;

use crate::Nodes;

/// How often the nodes renew the session at once.
const ROUNDS: usize = 10;

async fn login(node: &TestServer, nodes: &Nodes) -> String {
    let upstream = nodes.one.mint("admin", nodes.one.base_url(), json!({})).await;
    node.bearer(&upstream).must::<Exchange>(ExchangeRequest::default()).await.refresh_token
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_that_renew_at_once_agree() {
    let Some(nodes) = Nodes::start().await else { return };
    let mut refresh_token = login(&nodes.other, &nodes).await;
    for _ in 0..ROUNDS {
        let mut race = JoinSet::new();
        for node in [&nodes.one, &nodes.other, &nodes.one, &nodes.other] {
            let bearer = node.bearer(&refresh_token);
            race.spawn(async move { bearer.must::<ExchangeRefreshToken>(ExchangeRefreshTokenRequest::default()).await });
        }
        let mut next: Vec<_> = race.join_all().await.into_iter().map(|pair| pair.refresh_token.expect("a token").token).collect();
        next.dedup();
        assert_eq!(next.len(), 1, "one successor, whoever asks whom");
        assert_ne!(next[0], refresh_token);
        refresh_token.clone_from(&next[0]);
    }
    nodes.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_ends_at_one_has_ended_at_the_other() {
    let Some(nodes) = Nodes::start().await else { return };
    let first = login(&nodes.one, &nodes).await;
    let pair = nodes.other.bearer(&first).must::<ExchangeRefreshToken>(ExchangeRefreshTokenRequest::default()).await;
    let next = pair.refresh_token.expect("a token").token;
    nodes.one.clock().advance_seconds(60);
    for (node, token, rule) in [
        (&nodes.one, &first, "REFRESH_TOKEN_REUSED"),
        (&nodes.other, &next, "TOKEN_REVOKED"),
        (&nodes.one, &next, "TOKEN_REVOKED"),
    ] {
        let request = ExchangeRefreshTokenRequest::default();
        let refused = node.bearer(token).call::<ExchangeRefreshToken>(Transport::Grpc, request).await;
        assert_eq!(refused.body["details"][0]["metadata"]["rule"], rule, "{:#}", refused.body);
    }
    nodes.stop().await;
}
