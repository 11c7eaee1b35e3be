//! Grants, revocations and changes of identities hold at once, everywhere.

use std::time::{Duration, Instant};

use contract::chainguard::platform::iam::v2beta1::{
    DeleteIdentityRequest, DeleteRoleBindingRequest, GetGroupRequest, GetIdentityRequest, Identity, UpdateIdentityRequest,
    identity::{Relationship, claim_match::Sub},
    rpc::{DeleteIdentity, DeleteRoleBinding, GetGroup, GetIdentity, UpdateIdentity},
};
use pgcluster::Database;
use testkit::{Actor, Setup, TestServer, Transport};

use crate::{Nodes, at, bind};

const ROUNDS: u64 = 48;
/// How long a node may take to learn what has happened while it was asked for nothing.
const PATIENCE: Duration = Duration::from_mins(1);

async fn code(actor: &Actor, uid: &str) -> String {
    actor.call::<GetGroup>(Transport::Grpc, GetGroupRequest { uid: uid.to_owned() }).await.code
}

#[tokio::test(flavor = "multi_thread")]
async fn granted_and_revoked() {
    let Some(nodes) = Nodes::start().await else { return };
    let org = nodes.one.organization().to_string();
    let robot = nodes.one.workload(nodes.one.organization(), "robot", None).await;
    for round in 0..ROUNDS {
        let (writes, asked) = nodes.in_turn(round);
        assert_eq!(code(&at(asked, &robot), &org).await, "PERMISSION_DENIED", "round {round}: before the grant");
        let binding = bind(&writes.admin(), &org, robot.uid().as_str(), "viewer").await;
        assert_eq!(code(&at(asked, &robot), &org).await, "OK", "round {round}: after the grant");
        let (writes, asked) = nodes.in_turn(round + ROUNDS);
        writes.admin().must::<DeleteRoleBinding>(DeleteRoleBindingRequest { uid: binding }).await;
        assert_eq!(code(&at(asked, &robot), &org).await, "PERMISSION_DENIED", "round {round}: after the revocation");
    }
    nodes.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_relationship_ends_the_tokens_of_the_old_one() {
    let Some(nodes) = Nodes::start().await else { return };
    let org = nodes.one.organization().to_string();
    for round in 0..ROUNDS / 2 {
        let (writes, asked) = nodes.in_turn(round);
        let robot = writes.workload(writes.organization(), &format!("robot-{round}"), Some("viewer")).await;
        assert_eq!(code(&at(asked, &robot), &org).await, "OK", "round {round}: before");
        let admin = writes.admin();
        let mut identity: Identity = admin.must::<GetIdentity>(GetIdentityRequest { uid: robot.uid().to_string() }).await;
        let Some(Relationship::ClaimMatch(rule)) = &mut identity.relationship else { panic!("a claim match") };
        rule.sub = Some(Sub::Subject("somebody-else".into()));
        admin.must::<UpdateIdentity>(UpdateIdentityRequest { identity: Some(identity), update_mask: None }).await;
        assert_eq!(code(&at(asked, &robot), &org).await, "UNAUTHENTICATED", "round {round}: after");
    }
    nodes.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_identity_is_gone() {
    let Some(nodes) = Nodes::start().await else { return };
    let org = nodes.one.organization().to_string();
    for round in 0..ROUNDS / 2 {
        let (writes, asked) = nodes.in_turn(round);
        let robot = asked.workload(asked.organization(), &format!("robot-{round}"), Some("viewer")).await;
        assert_eq!(code(&robot, &org).await, "OK", "round {round}: before");
        writes.admin().must::<DeleteIdentity>(DeleteIdentityRequest { uid: robot.uid().to_string() }).await;
        assert_eq!(code(&robot, &org).await, "UNAUTHENTICATED", "round {round}: after");
    }
    nodes.stop().await;
}

/// So much happens in the database as other nodes do in a busy hour, and nothing that is about rights.
fn busy(database: &Database, revisions: u32) {
    database.sql(&format!(
        "BEGIN; UPDATE revision SET n = n + {revisions}; \
         INSERT INTO changes (revision, ordinal, noun, uid, op, from_name, from_created_at, to_name, to_created_at) \
         SELECT r.n - g, 0, 'repo', 'x', 'updated', 'x', 0, 'x', 0 FROM revision r, generate_series(0, {revisions} - 1) g; COMMIT"
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_with_nothing_to_do_keeps_what_it_remembers() {
    let Some(cluster) = pgcluster::shared() else { return };
    let database = cluster.database();
    let one = TestServer::start_with(Setup { database: Some(database.clone()), ..Setup::default() }).await;
    let nodes = Nodes { other: one.second_node().await, one };
    let org = nodes.one.organization().to_string();
    let robot = nodes.one.workload(nodes.one.organization(), "robot", Some("viewer")).await;
    let robot = at(&nodes.other, &robot);
    let lookups = async |outcome| nodes.other.metrics().await.sum("provost_grant_cache_lookups_total", &[("outcome", outcome)]);
    // What is read before a node has ever asked what has changed is not remembered.
    for _ in 0..2 {
        assert_eq!(code(&robot, &org).await, "OK");
    }
    let read = lookups("miss").await;
    // More than is told at once: whoever asks goes from step to step.
    busy(&database, 50_000);
    assert_eq!(code(&robot, &org).await, "OK");
    // More than whoever asks would wait for: the node learns it before.
    busy(&database, 300_000);
    let now: f64 = database.sql("SELECT n FROM revision").parse().expect("a number");
    let begin = Instant::now();
    while nodes.other.metrics().await.sum("provost_grant_cache_revision", &[]) < now {
        assert!(begin.elapsed() < PATIENCE, "the node does not keep up by itself");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(code(&robot, &org).await, "OK");
    assert!((lookups("miss").await - read).abs() < 0.5, "what was remembered was not read again");
    nodes.stop().await;
}
