use domain::{Kind, Narrowing, Rule, Uidp, iam::identity::operator_uid};
use services::iam::{BatchItem, role_bindings::BATCH_MAX};

use crate::world::{
    ESCALATION, NOT_FOUND, STALE, World, binding, built_in, capabilities, edit_binding, fields, refused, request, uids, violated,
};
use services::iam::groups::GroupFilter;
use services::iam::role_bindings::RoleBindingFilter;

#[tokio::test]
async fn a_binding_shows_what_it_names_and_works_at_once() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let folder = world.folder(&organization, "folder").await;
    let robot = world.workload(&organization, "robot").await;
    let ctx = world.by(&alice, &["role_bindings.list"]).await;
    let view = world.role_bindings.create(&ctx, &folder, binding(&robot, &built_in("viewer"))).await.unwrap();
    assert_eq!(view.binding.uid.parent().as_ref(), Some(&folder));
    assert_eq!((&view.identity.uid, &view.group.uid, &view.role.uid), (&robot, &folder, &built_in("viewer")));
    assert_eq!(world.role_bindings.get(&ctx, &view.binding.uid).await.unwrap(), view);
    let listed = world.role_bindings.list(&ctx, request(), RoleBindingFilter::default()).await.unwrap();
    assert!(listed.items.contains(&view));

    let robots = world.by(&robot, &["groups.list"]).await;
    let seen = world.groups.list(&robots, request(), GroupFilter::default()).await.unwrap();
    assert_eq!(uids(&seen.items), [folder]);
    world.role_bindings.delete(&ctx, &view.binding.uid).await.unwrap();
    let robots = world.by(&robot, &["groups.list"]).await;
    assert!(world.groups.list(&robots, request(), GroupFilter::default()).await.unwrap().items.is_empty());
}

#[tokio::test]
async fn identities_and_roles_of_other_organizations_are_as_good_as_absent() {
    let world = World::new().await;
    let (alices, alice) = world.organization("alice").await;
    let (bobs, bob) = world.organization("bob").await;
    let folder = world.folder(&alices, "folder").await;
    let foreign = world.workload(&bobs, "foreign").await;
    let own = world.workload(&alices, "own").await;
    let foreign_role = world.role(&bobs, "foreign", &["repo.list"]).await;
    let lower_role = world.role(&folder, "lower", &["repo.list"]).await;
    let viewer = built_in("viewer");
    let ctx = world.by(&alice, &[]).await;

    let answer = |result: domain::Result<_>| {
        let error: domain::Error = Result::<domain::iam::RoleBindingView, _>::unwrap_err(result);
        assert_eq!((error.kind(), error.rule()), (Kind::InvalidArgument, Rule::OtherOrganization));
        (fields(&error), error.message().to_owned())
    };
    let absent = answer(world.role_bindings.create(&ctx, &alices, binding(&bobs.child([9; 8]), &viewer)).await);
    assert_eq!(absent.0, ["identity"]);
    for not_bindable in [foreign.clone(), alices.child([9; 8]), Uidp::root_from([9; 20]), bobs.clone(), operator_uid()] {
        let answer = answer(world.role_bindings.create(&ctx, &alices, binding(&not_bindable, &viewer)).await);
        assert_eq!(answer, absent, "{not_bindable}");
    }
    let absent = answer(world.role_bindings.create(&ctx, &alices, binding(&own, &bobs.child([9; 8]))).await);
    assert_eq!(absent.0, ["role"]);
    for not_bindable in [foreign_role.clone(), lower_role.clone(), alices.child([9; 8]), Uidp::root_from([9; 20])] {
        let answer = answer(world.role_bindings.create(&ctx, &alices, binding(&own, &not_bindable)).await);
        assert_eq!(answer, absent, "{not_bindable}");
    }
    let both = answer(world.role_bindings.create(&ctx, &alices, binding(&foreign, &foreign_role)).await);
    assert_eq!(both.0, ["identity", "role"]);

    world.role_bindings.create(&ctx, &alices, binding(&bob, &viewer)).await.expect("users are of every organization");
    world.role_bindings.create(&ctx, &folder, binding(&own, &lower_role)).await.expect("a role binds in its group");
    let upper_role = world.role(&alices, "upper", &["repo.list"]).await;
    world.role_bindings.create(&ctx, &folder, binding(&own, &upper_role)).await.expect("and below it");
    for not_a_group in [alices.child([9; 8]), own.clone()] {
        assert_eq!(refused(world.role_bindings.create(&ctx, &not_a_group, binding(&own, &viewer)).await), NOT_FOUND);
    }
}

#[tokio::test]
async fn nobody_binds_what_they_do_not_hold() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let folder = world.folder(&organization, "folder").await;
    let helper = world.workload(&organization, "helper").await;
    let robot = world.workload(&organization, "robot").await;
    let binder = world.role(&organization, "binder", &["role_bindings.create", "role_bindings.update", "repo.list"]).await;
    world.bind(&organization, &helper, &binder).await;
    world.bind(&folder, &helper, &built_in("viewer")).await;
    let ctx = world.by(&helper, &[]).await;

    let (viewer, owner) = (built_in("viewer"), built_in("owner"));
    assert_eq!(refused(world.role_bindings.create(&ctx, &organization, binding(&robot, &viewer)).await), ESCALATION);
    assert_eq!(refused(world.role_bindings.create(&ctx, &organization, binding(&helper, &owner)).await), ESCALATION);
    let made = world.role_bindings.create(&ctx, &folder, binding(&robot, &viewer)).await.expect("held in the folder");

    let widen = edit_binding(move |spec| spec.role = built_in("owner"));
    assert_eq!(refused(world.role_bindings.update(&ctx, &made.binding.uid, widen).await), ESCALATION);
    let strong = world.bind(&organization, &robot, &owner).await;
    let to_me = helper.clone();
    let steal = edit_binding(move |spec| spec.identity = to_me);
    assert_eq!(refused(world.role_bindings.update(&ctx, &strong, steal).await), ESCALATION);

    let narrowing = Narrowing { scopes: None, capabilities: Some(capabilities(&["role_bindings.create"])) };
    let narrowed = world.narrowed(&alice, &[], narrowing).await;
    assert_eq!(refused(world.role_bindings.create(&narrowed, &organization, binding(&robot, &viewer)).await), ESCALATION);
}

#[tokio::test]
async fn a_binding_is_changed_in_place() {
    let world = World::new().await;
    let (alices, alice) = world.organization("alice").await;
    let (bobs, bob) = world.organization("bob").await;
    let foreign = world.workload(&bobs, "foreign").await;
    let robot = world.workload(&alices, "robot").await;
    let ctx = world.by(&alice, &[]).await;
    let made = world.role_bindings.create(&ctx, &alices, binding(&robot, &built_in("viewer"))).await.unwrap();
    let uid = made.binding.uid.clone();

    assert_eq!(world.role_bindings.update(&ctx, &uid, edit_binding(|_| ())).await.unwrap(), made);
    let to_foreign = edit_binding(move |spec| spec.identity = foreign);
    assert_eq!(violated(world.role_bindings.update(&ctx, &uid, to_foreign).await), ["identity"]);
    let (role, user) = (built_in("editor"), bob.clone());
    let change = edit_binding(move |spec| *spec = binding(&user, &role));
    let changed = world.role_bindings.update(&ctx, &uid, change).await.unwrap();
    assert_eq!((&changed.binding.uid, &changed.identity.uid, &changed.role.uid), (&uid, &bob, &built_in("editor")));
    assert!(changed.binding.revision > made.binding.revision);

    let mut stale = world.by(&alice, &[]).await;
    stale.if_match = Some(made.binding.revision.etag());
    let back = edit_binding(|spec| spec.role = built_in("viewer"));
    assert_eq!(refused(world.role_bindings.update(&stale, &uid, back).await), STALE);
    assert_eq!(refused(world.role_bindings.delete(&stale, &uid).await), STALE);
    assert_eq!(refused(world.role_bindings.update(&ctx, &alices.child([9; 8]), edit_binding(|_| ())).await), NOT_FOUND);
}

#[tokio::test]
async fn deleting_twice_is_fine() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let made = world.bind(&organization, &alice, &built_in("viewer")).await;
    let again = world.bind(&organization, &alice, &built_in("viewer")).await;
    assert_ne!(made, again, "the same binding may be made twice");
    for _ in 0..2 {
        world.role_bindings.delete(&world.operator(), &made).await.unwrap();
    }
    assert_eq!(refused(world.role_bindings.get(&world.operator(), &made).await), NOT_FOUND);
    assert!(world.role_bindings.get(&world.operator(), &again).await.is_ok());
}

#[tokio::test]
async fn a_batch_is_made_whole_or_not_at_all() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let mut robots = Vec::new();
    for index in 0..BATCH_MAX {
        robots.push(world.workload(&organization, &format!("robot {index}")).await);
    }
    let (viewer, editor) = (built_in("viewer"), built_in("editor"));
    let item = |identity: &Uidp| BatchItem { parent: None, identity: identity.clone(), role: None };
    let ctx = world.by(&alice, &["role_bindings.list"]).await;
    let batch = |role: Option<&Uidp>, items: Vec<BatchItem>| {
        let (ctx, organization, role) = (ctx.clone(), organization.clone(), role.cloned());
        let role_bindings = world.role_bindings.clone();
        async move { role_bindings.batch_create(&ctx, &organization, role.as_ref(), items).await }
    };
    let before = world.role_bindings.list(&ctx, request(), RoleBindingFilter::default()).await.unwrap().total;

    assert_eq!(violated(batch(Some(&viewer), Vec::new()).await), ["items"]);
    let too_many = robots.iter().chain([&alice]).map(item).collect();
    assert_eq!(violated(batch(Some(&viewer), too_many).await), ["items"]);
    let mut items: Vec<_> = robots.iter().take(4).map(item).collect();
    assert_eq!(violated(batch(None, items.clone()).await).len(), 4, "every entry lacks a role");
    items[1].role = Some(editor.clone());
    items[2].parent = Some(organization.child([9; 8]));
    let contradictions = violated(batch(Some(&viewer), items).await);
    assert_eq!(contradictions, ["items[1].role", "items[2].parent"]);
    let mut items: Vec<_> = robots.iter().take(3).map(item).collect();
    items[2].identity = organization.child([9; 8]);
    assert_eq!(violated(batch(Some(&viewer), items).await), ["items[2].identity"]);
    let after = world.role_bindings.list(&ctx, request(), RoleBindingFilter::default()).await.unwrap().total;
    assert_eq!(after, before, "none of the refused batches left anything");

    let mut items: Vec<_> = robots.iter().rev().map(item).collect();
    items[0].parent = Some(organization.clone());
    items[0].role = Some(viewer.clone());
    let made = batch(Some(&viewer), items).await.unwrap();
    let order: Vec<_> = made.iter().rev().map(|view| view.identity.uid.clone()).collect();
    assert_eq!(order, robots);
    let mut items: Vec<_> = robots.iter().take(2).map(item).collect();
    (items[0].role, items[1].role) = (Some(viewer.clone()), Some(editor.clone()));
    let roles: Vec<_> = batch(None, items).await.unwrap().iter().map(|view| view.role.uid.clone()).collect();
    assert_eq!(roles, [viewer, editor]);

    let helper = &robots[0];
    let binder = world.role(&organization, "binder", &["role_bindings.create"]).await;
    world.bind(&organization, helper, &binder).await;
    let ctx = world.by(helper, &[]).await;
    let items = vec![item(helper)];
    let refusal = world.role_bindings.batch_create(&ctx, &organization, Some(&built_in("owner")), items).await;
    assert_eq!(refused(refusal), ESCALATION);
}
