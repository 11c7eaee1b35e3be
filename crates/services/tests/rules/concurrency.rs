//! Rules that two callers at once must not get around.

use domain::{Kind, Rule};

use crate::world::{
    ESCALATION, NAME_TAKEN, World, binding, built_in, capabilities, edit_group, edit_role, group, name, refused, repo, request,
};
use services::iam::role_bindings::RoleBindingFilter;
use services::registry::repos::RepoFilter;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_gets_the_name() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let attempts = (0..16).map(|_| {
        let (repos, ctx, organization) = (world.repos.clone(), world.operator(), organization.clone());
        tokio::spawn(async move { repos.create(&ctx, &organization, repo("nginx")).await })
    });
    let (mut made, mut taken) = (0, 0);
    for attempt in attempts.collect::<Vec<_>>() {
        match attempt.await.unwrap() {
            Ok(_) => made += 1,
            refusal => {
                assert_eq!(refused(refusal), NAME_TAKEN);
                taken += 1;
            }
        }
    }
    assert_eq!((made, taken), (1, 15));
    assert_eq!(world.repos.list(&world.operator(), request(), RepoFilter::default()).await.unwrap().total, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_and_its_child_never_miss_each_other() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    for round in 0..20 {
        let parent = world.folder(&organization, "parent").await;
        let delete = {
            let (groups, ctx, parent) = (world.groups.clone(), world.operator(), parent.clone());
            tokio::spawn(async move { groups.delete(&ctx, &parent).await })
        };
        let create = {
            let (groups, ctx, parent) = (world.groups.clone(), world.operator(), parent.clone());
            tokio::spawn(async move { groups.create(&ctx, Some(&parent), group("child")).await })
        };
        let (deleted, created) = (delete.await.unwrap(), create.await.unwrap());
        match (deleted, created) {
            (Ok(()), Err(error)) => assert_eq!((error.kind(), error.rule()), (Kind::NotFound, Rule::NoSuchResource)),
            (Err(error), Ok(child)) => {
                assert_eq!((error.kind(), error.rule()), (Kind::FailedPrecondition, Rule::NotEmpty));
                assert!(world.groups.get(&world.operator(), &child.uid).await.is_ok());
            }
            both => panic!("round {round}: {both:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_is_either_bound_or_gone() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    for round in 0..20 {
        let role = world.role(&organization, "custom", &["repo.list"]).await;
        let delete = {
            let (roles, ctx, role) = (world.roles.clone(), world.operator(), role.clone());
            tokio::spawn(async move { roles.delete(&ctx, &role).await })
        };
        let bind = {
            let (role_bindings, ctx, at) = (world.role_bindings.clone(), world.operator(), organization.clone());
            let spec = binding(&alice, &role);
            tokio::spawn(async move { role_bindings.create(&ctx, &at, spec).await })
        };
        let (deleted, bound) = (delete.await.unwrap(), bind.await.unwrap());
        assert_ne!(deleted.is_ok(), bound.is_ok(), "round {round}: {deleted:?} {bound:?}");
    }
}

/// Who binds it does not hold what it gets, and who widens it does not hold that where it is bound.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_is_either_bound_or_widened() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let (inner, outer) = (world.folder(&organization, "inner").await, world.folder(&organization, "outer").await);
    let (helper, binder) = (world.workload(&organization, "helper").await, world.workload(&organization, "binder").await);
    let modest = world.role(&organization, "modest", &["roles.update", "repo.list"]).await;
    world.bind(&organization, &helper, &modest).await;
    world.bind(&inner, &helper, &built_in("editor")).await;
    world.bind(&outer, &binder, &modest).await;
    let (widener, binder) = (world.by(&helper, &[]).await, world.by(&binder, &[]).await);
    for round in 0..40 {
        let role = world.role(&organization, "custom", &["repo.list"]).await;
        world.bind(&inner, &helper, &role).await;
        let widen = {
            let (roles, ctx, role) = (world.roles.clone(), widener.clone(), role.clone());
            let wider = edit_role(|spec| spec.capabilities = capabilities(&["repo.list", "repo.create"]));
            tokio::spawn(async move { roles.update(&ctx, &role, wider).await })
        };
        let bind = {
            let (role_bindings, ctx, at) = (world.role_bindings.clone(), binder.clone(), outer.clone());
            let spec = binding(&helper, &role);
            tokio::spawn(async move { role_bindings.create(&ctx, &at, spec).await })
        };
        match (widen.await.unwrap(), bind.await.unwrap()) {
            (Ok(_), refusal @ Err(_)) => assert_eq!(refused(refusal), ESCALATION),
            (refusal @ Err(_), Ok(_)) => assert_eq!(refused(refusal), ESCALATION),
            both => panic!("round {round}: {both:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_changes_with_one_tag_one_wins() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let tag = world.tag(&organization).await;
    let attempts: Vec<_> = ["one", "two", "three"]
        .into_iter()
        .map(|called| {
            let (groups, mut ctx, organization) = (world.groups.clone(), world.operator(), organization.clone());
            ctx.if_match = Some(tag.clone());
            tokio::spawn(
                async move { groups.update(&ctx, &organization, edit_group(move |spec| spec.name = name(called))).await },
            )
        })
        .collect();
    let mut won = 0;
    for attempt in attempts {
        match attempt.await.unwrap() {
            Ok(_) => won += 1,
            refusal => assert_eq!(refused(refusal), (Kind::Aborted, Rule::EtagMismatch)),
        }
    }
    assert_eq!(won, 1);
    assert!(world.groups.get(&world.operator(), &organization).await.is_ok());
    let owners = world.role_bindings.list(&world.operator(), request(), RoleBindingFilter::default()).await.unwrap();
    assert_eq!(owners.items[0].role.uid, built_in("owner"));
}
