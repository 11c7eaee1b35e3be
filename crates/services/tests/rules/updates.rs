//! Updates of what others change between its reading and its writing.

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use domain::{
    Capability, Ctx, Description, Kind, Patch, Result, Revision, Rule, Uidp,
    ctx::IdempotencyClaim,
    error::Detail,
    iam::{GroupSpec, Relationship, Role, RoleBinding, RoleBindingSpec, RoleSpec},
};
use services::{Groups, Settings};
use store::rows;
use tokio::{runtime::Handle, task::block_in_place};

use crate::world::{
    ESCALATION, KEYS, STALE, TestSeal, World, assert_off_the_writer, binding, built_in, capabilities, claim_match, edit_binding,
    edit_group, edit_identity, edit_repo, edit_role, name, refused,
};

/// A patch of the name, before whose first `times` applications somebody else, as if at another node, changes the description.
/// It counts how often it is applied.
fn overtaken(world: &World, uid: &Uidp, times: usize) -> (Patch<GroupSpec>, Arc<AtomicUsize>) {
    let applied = Arc::new(AtomicUsize::new(0));
    let other = Groups::new(world.store.clone(), Arc::new(TestSeal::new()), Settings::default());
    let (ctx, uid, count) = (world.operator(), uid.clone(), Arc::clone(&applied));
    let patch = move |current: &GroupSpec| {
        assert_off_the_writer();
        let before = count.fetch_add(1, Ordering::SeqCst);
        if before < times {
            let described = edit_group(move |spec| spec.description = Description::trusted(format!("{before}")));
            block_in_place(|| Handle::current().block_on(other.update(&ctx, &uid, described)))?;
        }
        Ok(GroupSpec { name: name("mine"), ..current.clone() })
    };
    (Arc::new(patch), applied)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_others_wrote_meanwhile_is_kept() {
    for times in [1, 2, 3, 10] {
        let world = World::new().await;
        let (organization, _) = world.organization("alice").await;
        let (patch, applied) = overtaken(&world, &organization, times);
        let after = world.groups.update(&world.operator(), &organization, patch).await.unwrap();
        assert_eq!((after.spec.name.as_str(), after.spec.description.as_str()), ("mine", format!("{}", times - 1).as_str()));
        assert_eq!(applied.load(Ordering::SeqCst), times + 1);
        assert_eq!(world.groups.get(&world.operator(), &organization).await.unwrap(), after);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_always_overtaken_is_told_to_retry() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let (patch, applied) = overtaken(&world, &organization, usize::MAX);
    let error = world.groups.update(&world.operator(), &organization, patch).await.unwrap_err();
    assert_eq!((error.kind(), error.rule()), (Kind::Aborted, Rule::Contended));
    assert!(error.details().iter().any(|detail| matches!(detail, Detail::RetryAfter(_))), "{error:?}");
    assert_eq!(applied.load(Ordering::SeqCst), 20);
    let after = world.groups.get(&world.operator(), &organization).await.unwrap();
    assert_eq!((after.spec.name.as_str(), after.spec.description.as_str()), ("alices", "19"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tag_that_is_overtaken_is_stale() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let tag = world.tag(&organization).await;
    let (patch, applied) = overtaken(&world, &organization, 1);
    let ctx = Ctx { if_match: Some(tag), ..world.operator() };
    assert_eq!(refused(world.groups.update(&ctx, &organization, patch).await), STALE);
    assert_eq!(applied.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repetition_is_not_judged_by_what_its_first_time_has_changed() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let tag = world.tag(&organization).await;
    let idempotency = Some(IdempotencyClaim { key: [1; 32], request: [2; 32] });
    let ctx = Ctx { if_match: Some(tag), idempotency, ..world.operator() };
    let rename = || edit_group(|spec| spec.name = name("renamed"));
    world.groups.update(&ctx, &organization, rename()).await.unwrap();
    let again = world.groups.update(&ctx, &organization, rename()).await;
    assert_eq!(refused(again), (Kind::Aborted, Rule::IdempotentRequestRunning));
    let other = Ctx { idempotency: Some(IdempotencyClaim { key: [1; 32], request: [3; 32] }), ..ctx };
    assert_eq!(refused(world.groups.update(&other, &organization, rename()).await).1, Rule::IdempotencyKeyReused);
}

/// The edits of the tests insist on it, and so does what judges relationships.
#[tokio::test]
async fn no_noun_applies_or_judges_a_patch_on_the_writer() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let ctx = world.operator();
    let robot = world.workload(&organization, "robot").await;
    let role = world.role(&organization, "custom", &["repo.list"]).await;
    let bound = world.bind(&organization, &robot, &role).await;
    let repo = world.repo(&organization, "nginx").await.uid;
    world.groups.update(&ctx, &organization, edit_group(|spec| spec.name = name("a"))).await.unwrap();
    let other = Relationship::ClaimMatch(claim_match("other"));
    world.identities.update(&ctx, &robot, edit_identity(move |spec| spec.relationship = other), KEYS).await.unwrap();
    world.roles.update(&ctx, &role, edit_role(|spec| spec.name = name("a"))).await.unwrap();
    let other = world.workload(&organization, "other").await;
    world.role_bindings.update(&ctx, &bound, edit_binding(move |spec| spec.identity = other)).await.unwrap();
    world.repos.update(&ctx, &repo, edit_repo(|spec| spec.name = name("a"))).await.unwrap();
}

/// The rights that were judged before the write are those of the write.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rights_that_an_identity_gets_meanwhile_count() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let below = world.folder(&organization, "below").await;
    let robot = world.workload(&organization, "robot").await;
    let editor = world.workload(&organization, "editor").await;
    let role = world.role(&organization, "small", &["identity.update"]).await;
    world.bind(&organization, &editor, &role).await;
    let ctx = world.by(&editor, &["identity.update"]).await;
    let matching = |subject: &str| {
        let relationship = Relationship::ClaimMatch(claim_match(subject));
        edit_identity(move |spec| spec.relationship = relationship)
    };
    world.identities.update(&ctx, &robot, matching("first"), KEYS).await.unwrap();
    world.bind(&below, &robot, &role).await;
    world.identities.update(&ctx, &robot, matching("second"), KEYS).await.unwrap();
    let owner = built_in("owner");
    world.bind(&below, &robot, &owner).await;
    assert_eq!(refused(world.identities.update(&ctx, &robot, matching("third"), KEYS).await), ESCALATION);
}

/// A binding that is made between the judgement and the write of what its role gets is judged as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn places_where_a_role_is_bound_meanwhile_count() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let (inner, outer) = (world.folder(&organization, "inner").await, world.folder(&organization, "outer").await);
    let (helper, robot) = (world.workload(&organization, "helper").await, world.workload(&organization, "robot").await);
    let updater = world.role(&organization, "updater", &["roles.update"]).await;
    world.bind(&organization, &helper, &updater).await;
    world.bind(&inner, &helper, &built_in("editor")).await;
    let ctx = world.by(&helper, &[]).await;
    for (place, is_own, expected) in [(&outer, true, Err(ESCALATION)), (&inner, true, Ok(2)), (&outer, false, Ok(1))] {
        // The update may have come too late to be overtaken.
        let mut patience = Duration::from_millis(50);
        loop {
            let (role, other) =
                (world.role(&organization, "a", &["repo.list"]).await, world.role(&organization, "b", &["repo.list"]).await);
            world.bind(&inner, &robot, &role).await;
            let binding = binding(&robot, if is_own { &role } else { &other });
            let (applied, outcome) = overtaken_by_binding(&world, &ctx, &role, place, binding, patience).await;
            if let Err(expected) = expected {
                assert_eq!(refused(outcome), expected);
                let kept = world.roles.get(&world.operator(), &role).await.unwrap();
                assert_eq!(kept.spec.capabilities, capabilities(&["repo.list"]));
            } else {
                assert!(outcome.unwrap().spec.capabilities.has(Capability::from_name("repo.create").unwrap()));
            }
            if applied == expected.unwrap_or(2) {
                break;
            }
            patience *= 2;
            assert!(patience < Duration::from_secs(10), "it is not overtaken: {applied}");
        }
    }
}

/// Adds to `role` what its callers hold in some places, while the writer makes a binding at `place`, which ends when the
/// update has had so long to be judged. Tells how often the patch was applied.
async fn overtaken_by_binding(
    world: &World,
    ctx: &Ctx,
    role: &Uidp,
    place: &Uidp,
    spec: RoleBindingSpec,
    patience: Duration,
) -> (usize, Result<Role>) {
    let (begun, judged) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let now = world.now();
    let binding = RoleBinding { uid: place.child([7; 8]), spec, created_at: now, updated_at: now, revision: Revision(0) };
    let binds = {
        let (store, by, begun, judged) = (world.store.clone(), world.operator(), Arc::clone(&begun), Arc::clone(&judged));
        tokio::spawn(async move {
            let bound = store.write(&by, move |tx| {
                Box::pin(async move {
                    begun.wait();
                    judged.wait();
                    rows::delete::<RoleBinding>(tx, &binding.uid).await?;
                    rows::insert(tx, &binding).await
                })
            });
            bound.await
        })
    };
    block_in_place(|| begun.wait());
    let applied = Arc::new(AtomicUsize::new(0));
    let updates = {
        let (roles, ctx, role, applied) = (world.roles.clone(), ctx.clone(), role.clone(), Arc::clone(&applied));
        let patch = move |current: &RoleSpec| {
            assert_off_the_writer();
            applied.fetch_add(1, Ordering::SeqCst);
            Ok(RoleSpec { capabilities: capabilities(&["repo.list", "repo.create"]), ..current.clone() })
        };
        tokio::spawn(async move { roles.update(&ctx, &role, Arc::new(patch)).await })
    };
    while applied.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::sleep(patience).await;
    block_in_place(|| judged.wait());
    binds.await.unwrap().unwrap();
    let outcome = updates.await.unwrap();
    (applied.load(Ordering::SeqCst), outcome)
}
