use domain::{Kind, Rule, Uidp};

use crate::world::{
    DENIED, ESCALATION, NOT_FOUND, STALE, World, built_in, capabilities, edit_role, name, refused, request, role, uids, violated,
};
use services::iam::roles::RoleFilter;

const BUILT_IN: (Kind, Rule) = (Kind::FailedPrecondition, Rule::BuiltIn);

#[tokio::test]
async fn a_role_needs_capabilities_and_internal_ones_need_internal() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let ctx = world.by(&alice, &["roles.list"]).await;
    for bad in [vec![], vec!["repo.internal.admin"], vec!["repo.list", "repo.internal.admin"]] {
        assert_eq!(violated(world.roles.create(&ctx, &organization, role("custom", &bad)).await), ["capabilities"], "{bad:?}");
    }
    let beyond = world.roles.create(&ctx, &organization, role("beyond", &["internal", "repo.internal.admin"])).await.unwrap();
    assert_eq!(beyond.spec.capabilities, capabilities(&["internal", "repo.internal.admin"]), "making a role gives nothing");
    let without = edit_role(|spec| spec.capabilities = capabilities(&["repo.internal.admin"]));
    assert_eq!(violated(world.roles.update(&ctx, &beyond.uid, without).await), ["capabilities"]);
    let nothing = edit_role(|spec| spec.capabilities = capabilities(&[]));
    assert_eq!(violated(world.roles.update(&ctx, &beyond.uid, nothing).await), ["capabilities"]);
    let absent = world.roles.create(&world.operator(), &alice, role("x", &["repo.list"])).await;
    assert_eq!(refused(absent), NOT_FOUND);
}

#[tokio::test]
async fn built_in_roles_never_change() {
    let world = World::new().await;
    let operator = world.operator();
    let viewer = world.roles.get(&operator, &built_in("viewer")).await.unwrap();
    let renamed = world.roles.update(&operator, &viewer.uid, edit_role(|spec| spec.name = name("x"))).await;
    assert_eq!(refused(renamed), BUILT_IN);
    assert_eq!(refused(world.roles.delete(&operator, &viewer.uid).await), BUILT_IN);
    assert_eq!(refused(world.roles.delete(&operator, &Uidp::root_from([9; 20])).await), NOT_FOUND);
}

#[tokio::test]
async fn everybody_sees_built_in_roles_and_only_members_custom_ones() {
    let world = World::new().await;
    let (alices, alice) = world.organization("alice").await;
    let (bobs, bob) = world.organization("bob").await;
    let custom = world.role(&alices, "custom", &["repo.list"]).await;
    let ctx = world.by(&bob, &["roles.list"]).await;
    assert_eq!(world.roles.get(&ctx, &built_in("owner")).await.unwrap().spec.name, name("owner"));
    for foreign in [custom.clone(), alices.child([9; 8])] {
        assert_eq!(refused(world.roles.get(&ctx, &foreign).await), DENIED, "whether or not it exists");
    }
    assert_eq!(refused(world.roles.get(&ctx, &bobs.child([9; 8])).await), NOT_FOUND);
    assert_eq!(refused(world.roles.get(&ctx, &Uidp::root_from([9; 20])).await), NOT_FOUND);

    let built_in_count = u64::try_from(access::built_in::ROLES.len()).unwrap();
    assert_eq!(world.roles.list(&ctx, request(), RoleFilter::default()).await.unwrap().total, built_in_count);
    let ctx = world.by(&alice, &["roles.list"]).await;
    let all = world.roles.list(&ctx, request(), RoleFilter::default()).await.unwrap();
    assert_eq!(all.total, built_in_count + 1);
    assert!(uids(&all.items).contains(&custom));
    assert_eq!(world.roles.get(&ctx, &custom).await.unwrap().uid, custom);
}

#[tokio::test]
async fn widening_a_bound_role_takes_what_it_adds_wherever_it_is_bound() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let (inner, outer) = (world.folder(&organization, "inner").await, world.folder(&organization, "outer").await);
    let helper = world.workload(&organization, "helper").await;
    let robot = world.workload(&organization, "robot").await;
    let updater = world.role(&organization, "updater", &["roles.update"]).await;
    let custom = world.role(&organization, "custom", &["repo.list"]).await;
    world.bind(&organization, &helper, &updater).await;
    world.bind(&inner, &helper, &built_in("editor")).await;
    let set = |names: &'static [&'static str]| edit_role(move |spec| spec.capabilities = capabilities(names));

    let ctx = world.by(&helper, &[]).await;
    world.roles.update(&ctx, &custom, set(&["groups.delete"])).await.expect("bound nowhere, so nobody gains");
    world.roles.update(&ctx, &custom, set(&["repo.list"])).await.unwrap();
    world.bind(&inner, &robot, &custom).await;
    world.roles.update(&ctx, &custom, set(&["repo.list", "repo.create"])).await.expect("the helper creates repos there");
    assert_eq!(refused(world.roles.update(&ctx, &custom, set(&["repo.list", "groups.delete"])).await), ESCALATION);

    world.bind(&outer, &robot, &custom).await;
    let more = || set(&["repo.list", "repo.create", "repo.update"]);
    assert_eq!(refused(world.roles.update(&ctx, &custom, more()).await), ESCALATION, "held at one place, not at the other");
    world.roles.update(&ctx, &custom, set(&["repo.list"])).await.expect("taking away gives nothing");
    world.roles.update(&world.operator(), &custom, more()).await.unwrap();
    let renamed = world.roles.update(&ctx, &custom, edit_role(|spec| spec.name = name("renamed"))).await;
    assert_eq!(renamed.unwrap().spec.name, name("renamed"), "what was there before need not be held");
}

#[tokio::test]
async fn a_bound_role_stays() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let custom = world.role(&organization, "custom", &["repo.list"]).await;
    let binding = world.bind(&organization, &alice, &custom).await;
    let error = world.roles.delete(&world.operator(), &custom).await.unwrap_err();
    assert_eq!((error.kind(), error.rule()), (Kind::FailedPrecondition, Rule::RoleBound));
    world.role_bindings.delete(&world.operator(), &binding).await.unwrap();

    let mut stale = world.operator();
    stale.if_match = Some(domain::Etag("\"0\"".into()));
    assert_eq!(refused(world.roles.delete(&stale, &custom).await), STALE);
    world.roles.delete(&world.operator(), &custom).await.unwrap();
    assert_eq!(refused(world.roles.delete(&world.operator(), &custom).await), NOT_FOUND);
}
