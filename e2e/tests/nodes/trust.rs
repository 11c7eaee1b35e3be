//! What whoever writes the database cannot do to running nodes, and how the key changes that they trust.

use std::{panic::AssertUnwindSafe, time::Duration};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use client::http::Request;
use contract::chainguard::platform::iam::v2beta1::{GetGroupRequest, rpc::GetGroup};
use futures::FutureExt as _;
use serde_json::{Value, json};
use testkit::{Fault, Issuer, TestServer, Transport};

use crate::{Nodes, at, make_folder};

/// Longer than a node goes without reading its keys again.
const NEWS: Duration = Duration::from_secs(16);

async fn ready(node: &TestServer) -> Value {
    let answer = node.nobody().http(Request::get("/readyz")).await;
    assert_eq!(answer.status, 200);
    answer.json()
}

async fn findings(node: &TestServer) -> Vec<Value> {
    let checked = node.ask_admin(&json!({"command": "check"})).await;
    checked["findings"].as_array().expect("findings").clone()
}

/// An operator's token that somebody has signed who has put the public half of a key into the database.
#[tokio::test(flavor = "multi_thread")]
async fn a_forged_signing_key_is_used_by_no_node() {
    let Some(cluster) = pgcluster::shared() else { return };
    let database = cluster.database();
    let nodes = Nodes::on(database.clone()).await;
    let get = GetGroupRequest { uid: nodes.one.organization().to_string() };
    let (evil, operator) = (Issuer::start(Fault::None).await, nodes.one.operator().await);
    let token = operator.token.as_ref().expect("a token").expose();
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).expect("claims")).expect("base64url");
    let forged = evil.sign(&serde_json::from_slice(&claims).expect("JSON"));
    let public = evil.keys()["keys"][0].to_string();
    let put = |columns: &str| {
        database.sql(&format!(
            "BEGIN; UPDATE revision SET n = n + 1; DELETE FROM signing_keys WHERE kid = 'k1'; \
             INSERT INTO signing_keys (kid, algorithm, private_key, public_jwk, created_at, not_before_at, retired_at, revision, code) \
             SELECT 'k1', algorithm, private_key, '{public}', created_at, not_before_at, {columns} FROM signing_keys, \
             (SELECT n FROM revision) AS last LIMIT 1; \
             INSERT INTO changes (revision, ordinal, noun, uid, op) SELECT n, 0, 'signing_key', 'k1', 'updated' FROM revision; COMMIT"
        ))
    };
    for columns in ["retired_at, n, code", "NULL, n, NULL", "9999999999999, n, code"] {
        put(columns);
        for node in [&nodes.one, &nodes.other] {
            let refused = node.bearer(&forged).call::<GetGroup>(Transport::Grpc, get.clone()).await;
            assert_eq!(refused.code, "UNAUTHENTICATED", "{columns}: {:#}", refused.body);
            at(node, &operator).must::<GetGroup>(get.clone()).await;
            let told = ready(node).await;
            assert!(told["status"] == "degraded" && told["degraded"].to_string().contains("k1"), "{told}");
        }
        let found = findings(&nodes.one).await;
        assert!(found.iter().any(|found| found["check"] == "keys" && found["place"] == "signing_keys k1"), "{found:#?}");
    }
    // The public half of another key, under the name of the one in use.
    database.sql(&format!(
        "BEGIN; DELETE FROM signing_keys WHERE kid = 'k1'; UPDATE revision SET n = n + 1; \
         UPDATE signing_keys SET public_jwk = '{public}', revision = (SELECT n FROM revision); \
         INSERT INTO changes (revision, ordinal, noun, uid, op) SELECT r.n, 0, 'signing_key', k.kid, 'updated' FROM revision r, signing_keys k; \
         COMMIT"
    ));
    let refused = nodes.other.bearer(&forged).call::<GetGroup>(Transport::Grpc, get.clone()).await;
    assert_ne!(refused.code, "OK", "{:#}", refused.body);
    nodes.stop().await;
}

/// As if an earlier program had written everything: then all of it would be believed.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_whose_codes_were_taken_away_is_not_believed() {
    let Some(cluster) = pgcluster::shared() else { return };
    let database = cluster.database();
    let nodes = Nodes::on(database.clone()).await;
    // The head first: nothing is committed between the statements then.
    database.sql(
        "BEGIN; UPDATE revision SET head = NULL; UPDATE audit SET code = NULL; UPDATE changes SET digest = NULL; \
         UPDATE signing_keys SET code = NULL; COMMIT",
    );
    let found = findings(&nodes.one).await;
    assert!(found.iter().any(|found| found.to_string().contains("no entry has a code")), "{found:#?}");
    let Err(refused) = AssertUnwindSafe(nodes.one.second_node()).catch_unwind().await else { panic!("it starts") };
    let why = refused.downcast_ref::<String>().expect("a reason");
    assert!(why.contains("codes of the audit log") && why.contains("restore a backup"), "{why}");
}

/// Entries from then on have no codes, and somebody has to look.
#[tokio::test(flavor = "multi_thread")]
async fn a_log_without_its_head_shows() {
    let Some(cluster) = pgcluster::shared() else { return };
    let database = cluster.database();
    let nodes = Nodes::on(database.clone()).await;
    assert_eq!(ready(&nodes.one).await["status"], "ready");
    database.sql("UPDATE revision SET head = NULL");
    for node in [&nodes.one, &nodes.other] {
        // What was asked a moment ago is answered as it was.
        let mut told = ready(node).await;
        for _ in 0..20 {
            if told["status"] == "degraded" {
                break;
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
            told = ready(node).await;
        }
        assert!(told["degraded"].to_string().contains("the audit log has lost its head"), "{told}");
    }
    nodes.stop().await;
}

/// Both accept both keys meanwhile, whichever of them changes it.
#[tokio::test(flavor = "multi_thread")]
async fn the_key_changes_while_both_nodes_write() {
    let Some(nodes) = Nodes::start().await else { return };
    let org = nodes.one.organization().to_string();
    let get = GetGroupRequest { uid: org.clone() };
    for round in 0..2 {
        let (changes, other) = if round == 0 { (&nodes.one, &nodes.other) } else { (&nodes.other, &nodes.one) };
        let token = changes.admin_again().await;
        let prepared = changes.ask_admin(&json!({"command": "rekey", "prepare": true})).await;
        tokio::time::sleep(NEWS).await;
        let write = async |node: &TestServer, name: &str| {
            for n in 0..20 {
                make_folder(&at(node, &token), &org, &format!("{name} {round} {n}")).await;
            }
        };
        let rekey = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            changes.ask_admin(&json!({"command": "rekey", "prepare": false})).await
        };
        let ((), (), rekeyed) = tokio::join!(write(changes, "one"), write(other, "other"), rekey);
        assert_eq!(rekeyed["key"], prepared["key"]);
        for node in [changes, other] {
            at(node, &token).must::<GetGroup>(get.clone()).await;
            at(node, &node.admin_again().await).must::<GetGroup>(get.clone()).await;
            assert_eq!(findings(node).await, Vec::<Value>::new(), "round {round}");
        }
    }
    nodes.stop().await;
}
