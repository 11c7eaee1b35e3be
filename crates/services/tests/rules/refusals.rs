use domain::{Actor, Ctx, Error, Rule, ports::Refusals};
use services::{
    AuditRefusals,
    refusals::{OF_ALL_STRANGERS, OF_ONE_IDENTITY},
};

use crate::world::World;

/// How many refusals of this actor the audit log has.
async fn recorded(world: &World, actor: &str) -> usize {
    world.store.flush().await.unwrap();
    let mut reader = world.store.reader().await.unwrap();
    let entries = store::audit::newest(&mut reader, 100_000).await.unwrap();
    entries.iter().filter(|entry| entry.actor == actor && entry.outcome == "CLAIM_MISMATCH").count()
}

#[tokio::test]
async fn nobody_floods_the_audit_log_by_being_refused() {
    let world = World::new().await;
    let refusals = AuditRefusals::new(world.store.clone());
    let error = Error::denied(Rule::ClaimMismatch, "no");
    let record = |ctx: &Ctx, times: u32| (0..times).for_each(|_| refusals.record(ctx, None, &error));
    let of = |most: u32| usize::try_from(most).unwrap();
    let (_, alice) = world.organization("alice").await;
    let (_, bob) = world.organization("bob").await;
    let stranger = || Ctx { actor: Actor::Anonymous, ..world.system() };

    record(&world.by(&alice, &[]).await, 5 * OF_ONE_IDENTITY);
    record(&world.by(&bob, &[]).await, 3);
    record(&stranger(), 5 * OF_ALL_STRANGERS);
    assert_eq!(recorded(&world, alice.as_str()).await, of(OF_ONE_IDENTITY));
    assert_eq!(recorded(&world, bob.as_str()).await, 3, "others have their own room");
    assert_eq!(recorded(&world, "anonymous").await, of(OF_ALL_STRANGERS));

    world.wait(60);
    record(&world.by(&alice, &[]).await, 1);
    record(&stranger(), 1);
    assert_eq!(recorded(&world, alice.as_str()).await, of(OF_ONE_IDENTITY) + 1, "a minute later there is room again");
    assert_eq!(recorded(&world, "anonymous").await, of(OF_ALL_STRANGERS) + 1);
}
