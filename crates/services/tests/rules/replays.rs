//! What the gate asks of the store: kept answers and recorded refusals.

use domain::{
    Error, Kind, Rule,
    ctx::IdempotencyClaim,
    ports::{Refusals, Replay, Replays},
};
use services::{AuditRefusals, ReplayStore};

use crate::world::{World, group, refused};

#[tokio::test]
async fn an_answer_is_kept_for_its_claim() {
    let world = World::new().await;
    let replays = ReplayStore::new(world.store.clone());
    let claim = IdempotencyClaim { key: [1; 32], request: [2; 32] };
    assert_eq!(replays.find(&claim, world.now()).await.unwrap(), None);

    let mut ctx = world.operator();
    ctx.idempotency = Some(claim.clone());
    world.groups.create(&ctx, None, group("once")).await.unwrap();
    let twice = world.groups.create(&ctx, None, group("once")).await;
    assert_eq!(refused(twice).0, Kind::Aborted, "applied, but no answer is there yet");
    let answer = Replay { message: vec![1, 2, 3], etag: Some("\"1\"".into()) };
    replays.save(&ctx, &claim, answer.clone()).await.unwrap();
    assert_eq!(replays.find(&claim, world.now()).await.unwrap(), Some(answer));
    let other = IdempotencyClaim { request: [3; 32], ..claim.clone() };
    assert_eq!(refused(replays.find(&other, world.now()).await), (Kind::InvalidArgument, Rule::IdempotencyKeyReused));
    world.wait(24 * 60 * 60);
    assert_eq!(replays.find(&claim, world.now()).await.unwrap(), None, "a day later the key is new");
}

#[tokio::test]
async fn refusals_are_audited() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let ctx = world.by(&alice, &[]).await;
    let error = Error::denied(Rule::CapabilityMissing, "missing repo.create");
    AuditRefusals::new(world.store.clone()).record(&ctx, Some(organization.as_str()), &error);
    world.store.flush().await.unwrap();
    let mut reader = world.store.reader().await.unwrap();
    let entries = store::audit::newest(&mut reader, 1).await.unwrap();
    let refusal = (entries[0].actor.as_str(), entries[0].subject.as_deref(), entries[0].outcome.as_str());
    assert_eq!(refusal, (alice.as_str(), Some(organization.as_str()), "CAPABILITY_MISSING"));
}
