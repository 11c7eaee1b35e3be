//! The signing keys of one node are those of the other, also after a rotation.

use std::time::{Duration, Instant};

use client::http::Request;
use contract::chainguard::platform::iam::v2beta1::{GetGroupRequest, rpc::GetGroup};
use serde_json::json;
use testkit::{TestServer, Transport};

use crate::{Nodes, at};

/// How long a node may take to publish another one's new key.
const NEWS: Duration = Duration::from_secs(30);
/// Longer than a new key is published before it signs, and than any token lives.
const LATER: i64 = 2 * 24 * 3600;

async fn published(node: &TestServer) -> Vec<String> {
    let keys = node.nobody().http(Request::get("/.well-known/jwks.json")).await.json();
    let keys = keys["keys"].as_array().expect("keys").clone();
    keys.iter().map(|key| key["kid"].as_str().expect("a kid").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_planned_rotation_is_published_by_both_before_it_is_used_by_either() {
    let Some(nodes) = Nodes::start().await else { return };
    let get = GetGroupRequest { uid: nodes.one.organization().to_string() };
    let before = published(&nodes.other).await;
    let old = nodes.one.admin();
    nodes.one.ask_admin(&json!({"command": "rotate_keys", "at_once": false})).await;
    let after = published(&nodes.one).await;
    assert_eq!((before.len(), after.len()), (1, 2));
    let begin = Instant::now();
    while published(&nodes.other).await != after {
        assert!(begin.elapsed() < NEWS, "the other node does not publish the new key");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    at(&nodes.other, &old).must::<GetGroup>(get.clone()).await;
    nodes.one.clock().advance_seconds(LATER);
    for (mints, asked) in [(&nodes.one, &nodes.other), (&nodes.other, &nodes.one)] {
        at(asked, &mints.admin_again().await).must::<GetGroup>(get.clone()).await;
    }
    nodes.stop().await;
}

/// The other node learns of it with the first token that the new key has signed.
#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_at_once_ends_old_tokens_everywhere() {
    let Some(nodes) = Nodes::start().await else { return };
    let get = GetGroupRequest { uid: nodes.one.organization().to_string() };
    let old = nodes.one.admin();
    at(&nodes.other, &old).must::<GetGroup>(get.clone()).await;
    nodes.other.ask_admin(&json!({"command": "rotate_keys", "at_once": true})).await;
    let new = nodes.other.admin_again().await;
    for node in [&nodes.one, &nodes.other] {
        at(node, &new).must::<GetGroup>(get.clone()).await;
        let refused = at(node, &old).call::<GetGroup>(Transport::Grpc, get.clone()).await;
        assert_eq!(refused.code, "UNAUTHENTICATED", "{:#}", refused.body);
    }
    assert_eq!(published(&nodes.one).await, published(&nodes.other).await);
    nodes.stop().await;
}

/// Without any news by a token of the new key: the next request is refused, and the next token is signed with the new key.
#[tokio::test(flavor = "multi_thread")]
async fn a_removed_key_is_believed_nowhere() {
    let Some(nodes) = Nodes::start().await else { return };
    let get = GetGroupRequest { uid: nodes.one.organization().to_string() };
    for round in 0..6 {
        let (removes, asked) = nodes.in_turn(round);
        let tokens = [asked.admin_again().await, asked.operator().await];
        for token in &tokens {
            at(asked, token).must::<GetGroup>(get.clone()).await;
        }
        removes.ask_admin(&json!({"command": "rotate_keys", "at_once": true})).await;
        for token in &tokens {
            let refused = at(asked, token).call::<GetGroup>(Transport::Grpc, get.clone()).await;
            assert_eq!(refused.code, "UNAUTHENTICATED", "round {round}: {:#}", refused.body);
        }
        let next = asked.admin_again().await;
        at(removes, &next).must::<GetGroup>(get.clone()).await;
    }
    nodes.stop().await;
}

/// The first token after a removal is one that is believed.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_signs_with_a_removed_key() {
    let Some(nodes) = Nodes::start().await else { return };
    let get = GetGroupRequest { uid: nodes.one.organization().to_string() };
    for round in 0..6 {
        let (removes, mints) = nodes.in_turn(round);
        removes.ask_admin(&json!({"command": "rotate_keys", "at_once": true})).await;
        let token = mints.admin_again().await;
        at(removes, &token).must::<GetGroup>(get.clone()).await;
    }
    nodes.stop().await;
}
