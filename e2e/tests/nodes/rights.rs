//! Grants, revocations and changes of identities hold at once, everywhere.

use contract::chainguard::platform::iam::v2beta1::{
    DeleteIdentityRequest, DeleteRoleBindingRequest, GetGroupRequest, GetIdentityRequest, Identity, UpdateIdentityRequest,
    identity::{Relationship, claim_match::Sub},
    rpc::{DeleteIdentity, DeleteRoleBinding, GetGroup, GetIdentity, UpdateIdentity},
};
use testkit::{Actor, Transport};

use crate::{Nodes, at, bind};

const ROUNDS: u64 = 48;

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
