//! Rights that were given up, are gone, or never were: what a narrowed token, a deleted identity and a workload may do.

use domain::{Kind, Narrowing, Rule, iam::Relationship};
use services::iam::groups::GroupFilter;

use crate::world::{
    DENIED, ESCALATION, KEYS, World, built_in, capabilities, claim_match, edit_identity, group, refused, request, uids, violated,
};

#[tokio::test]
async fn a_narrowed_token_creates_no_organization() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let scoped = Narrowing { scopes: Some(vec![organization]), capabilities: None };
    let without = Narrowing { scopes: None, capabilities: Some(capabilities(&["groups.list"])) };
    for narrowing in [scoped, without] {
        let ctx = world.narrowed(&alice, &[], narrowing).await;
        assert_eq!(refused(world.groups.create(&ctx, None, group("more")).await), DENIED);
    }
    let with = Narrowing { scopes: None, capabilities: Some(capabilities(&["groups.create"])) };
    let ctx = world.narrowed(&alice, &[], with).await;
    assert!(world.groups.create(&ctx, None, group("more")).await.is_ok());
}

#[tokio::test]
async fn a_workload_owns_the_organization_that_it_creates() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let robot = world.workload(&organization, "robot").await;
    let made = world.groups.create(&world.by(&robot, &[]).await, None, group("more")).await.unwrap();
    world.groups.create(&world.by(&robot, &[]).await, Some(&made.uid), group("folder")).await.expect("an owner may");
}

#[tokio::test]
async fn an_identity_that_is_gone_creates_no_organization() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let gone = world.workload(&organization, "gone").await;
    let ctx = world.by(&gone, &[]).await;
    world.identities.delete(&world.operator(), &gone).await.unwrap();
    let refusal = refused(world.groups.create(&ctx, None, group("more")).await);
    assert_eq!(refusal, (Kind::Unauthenticated, Rule::TokenRevoked));
    let all = world.groups.list(&world.operator(), request(), GroupFilter::default()).await.unwrap();
    assert_eq!(uids(&all.items), [organization], "nothing of it is left");
}

#[tokio::test]
async fn the_tree_has_a_deepest_level() {
    let world = World::new().await;
    let (mut parent, _) = world.organization("alice").await;
    for _ in 0..64 {
        parent = world.folder(&parent, "deeper").await;
    }
    assert_eq!(violated(world.groups.create(&world.operator(), Some(&parent), group("too deep")).await), ["parent"]);
}

#[tokio::test]
async fn a_narrowed_token_takes_nothing_over() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let robot = world.workload(&organization, "robot").await;
    world.bind(&organization, &robot, &built_in("editor")).await;
    let takeover = || edit_identity(|spec| spec.relationship = Relationship::ClaimMatch(claim_match("me")));
    let narrowing = Narrowing { scopes: None, capabilities: Some(capabilities(&["identity.update"])) };
    let ctx = world.narrowed(&alice, &[], narrowing).await;
    assert_eq!(refused(world.identities.update(&ctx, &robot, takeover(), KEYS).await), ESCALATION);
    world.identities.update(&world.by(&alice, &[]).await, &robot, takeover(), KEYS).await.unwrap();
}
