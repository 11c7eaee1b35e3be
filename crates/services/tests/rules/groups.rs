use domain::{
    Etag, Kind, Narrowing, Rule, Uidp,
    iam::{OrgKind, OrgStatus},
};
use services::Settings;

use crate::world::{
    DENIED, NAME_TAKEN, NOT_FOUND, OPERATORS_ONLY, STALE, World, built_in, capabilities, edit_group, group, name, refused, repo,
    request, uids, violated,
};
use services::iam::groups::GroupFilter;
use services::iam::role_bindings::RoleBindingFilter;

#[tokio::test]
async fn the_creator_of_an_organization_becomes_its_owner() {
    let world = World::new().await;
    let (_, alice) = world.organization("alice").await;
    let organization = world.groups.create(&world.by(&alice, &[]).await, None, group("second")).await.unwrap();
    assert!(organization.uid.is_root());
    assert_eq!((organization.created_at, organization.updated_at), (world.now(), world.now()));
    assert_eq!(organization.status, OrgStatus::Ready);

    let ctx = world.by(&alice, &["role_bindings.list"]).await;
    let bindings = world.role_bindings.list(&ctx, request(), RoleBindingFilter::default()).await.unwrap();
    let second = bindings.items.iter().find(|view| view.group.uid == organization.uid).unwrap();
    assert_eq!((&second.identity.uid, &second.role.uid), (&alice, &built_in("owner")));
    let folder = world.groups.create(&world.by(&alice, &[]).await, Some(&organization.uid), group("folder")).await.unwrap();
    assert_eq!(folder.uid.parent(), Some(organization.uid));
}

#[tokio::test]
async fn operators_create_organizations_and_own_none() {
    let world = World::with(Settings::default()).await;
    let (_, alice) = world.organization("alice").await;
    let ctx = world.by(&alice, &[]).await;
    assert_eq!(refused(world.groups.create(&ctx, None, group("more")).await), OPERATORS_ONLY);
    assert!(!world.groups.may_create_organization(&ctx) && world.groups.may_create_organization(&world.operator()));

    world.groups.create(&world.operator(), None, group("more")).await.unwrap();
    let bindings = world.role_bindings.list(&world.operator(), request(), RoleBindingFilter::default()).await.unwrap();
    assert_eq!(bindings.total, 1, "only that of alice");
}

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
async fn a_folder_needs_the_capability_whether_or_not_the_parent_exists() {
    let world = World::new().await;
    let (alices, alice) = world.organization("alice").await;
    let (bobs, _) = world.organization("bob").await;
    let ctx = world.by(&alice, &[]).await;
    for foreign in [bobs.clone(), bobs.child([9; 8]), Uidp::root_from([9; 20])] {
        assert_eq!(refused(world.groups.create(&ctx, Some(&foreign), group("folder")).await), DENIED, "{foreign}");
    }
    let identity = world.workload(&alices, "robot").await;
    for not_a_group in [alices.child([9; 8]), identity] {
        assert_eq!(refused(world.groups.create(&ctx, Some(&not_a_group), group("folder")).await), NOT_FOUND);
    }
}

#[tokio::test]
async fn verification_is_for_operators_and_organizations() {
    let world = World::new().await;
    let (alices, alice) = world.organization("alice").await;
    let verified = |called: &str, kind| {
        let mut spec = group(called);
        (spec.verified, spec.kind) = (true, kind);
        spec
    };
    let ctx = world.by(&alice, &[]).await;
    let wish = || verified("example.com", OrgKind::Customer);
    assert_eq!(refused(world.groups.create(&ctx, None, wish()).await), OPERATORS_ONLY);
    assert_eq!(refused(world.groups.create(&ctx, Some(&alices), wish()).await), OPERATORS_ONLY);
    assert_eq!(refused(world.groups.update(&ctx, &alices, edit_group(|spec| spec.verified = true)).await), OPERATORS_ONLY);

    let operator = world.operator();
    assert_eq!(
        violated(world.groups.create(&operator, Some(&alices), verified("x.com", OrgKind::Unspecified)).await),
        ["verified"]
    );
    let neither = verified("example", OrgKind::Unspecified);
    assert_eq!(violated(world.groups.create(&operator, None, neither).await), ["name", "kind"]);

    let first = world.groups.create(&operator, None, wish()).await.unwrap();
    assert_eq!(refused(world.groups.create(&operator, None, wish()).await), NAME_TAKEN);
    world.groups.create(&operator, None, group("example.com")).await.expect("an unverified one may have the name");
    let same =
        world.groups.update(&operator, &first.uid, edit_group(|spec| spec.description = domain::Description::trusted("x"))).await;
    assert!(same.is_ok(), "an organization does not clash with itself");
    let unkind = world.groups.update(&operator, &first.uid, edit_group(|spec| spec.kind = OrgKind::Unspecified)).await;
    assert_eq!(violated(unkind), ["kind"]);

    world.bind(&first.uid, &alice, &built_in("owner")).await;
    let ctx = world.by(&alice, &[]).await;
    let rename = world.groups.update(&ctx, &first.uid, edit_group(|spec| spec.name = name("example.org"))).await;
    assert_eq!(refused(rename), OPERATORS_ONLY);
    let revoke = world.groups.update(&ctx, &first.uid, edit_group(|spec| spec.verified = false)).await;
    assert_eq!(refused(revoke), OPERATORS_ONLY);
    let describe =
        world.groups.update(&ctx, &first.uid, edit_group(|spec| spec.description = domain::Description::trusted("y"))).await;
    assert!(describe.is_ok());
    world.groups.update(&operator, &first.uid, edit_group(|spec| spec.name = name("example.org"))).await.unwrap();
}

#[tokio::test]
async fn folders_show_the_kind_of_their_organization() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let operator = world.operator();
    world.groups.update(&operator, &organization, edit_group(|spec| spec.kind = OrgKind::Dev)).await.unwrap();
    let mut spec = group("folder");
    spec.kind = OrgKind::Customer;
    assert_eq!(violated(world.groups.create(&operator, Some(&organization), spec.clone()).await), ["kind"]);
    spec.kind = OrgKind::Dev;
    let folder = world.groups.create(&operator, Some(&organization), spec).await.unwrap();
    assert_eq!(folder.spec.kind, OrgKind::Dev);

    world.groups.update(&operator, &organization, edit_group(|spec| spec.kind = OrgKind::Infra)).await.unwrap();
    assert_eq!(world.groups.get(&operator, &folder.uid).await.unwrap().spec.kind, OrgKind::Infra);
    let listed = world.groups.list(&operator, request(), GroupFilter::default()).await.unwrap();
    assert!(listed.items.iter().all(|group| group.spec.kind == OrgKind::Infra));
    let other = world.groups.update(&operator, &folder.uid, edit_group(|spec| spec.kind = OrgKind::Dev)).await;
    assert_eq!(violated(other), ["kind"]);
    let renamed = world.groups.update(&operator, &folder.uid, edit_group(|spec| spec.name = name("new"))).await.unwrap();
    assert_eq!((renamed.spec.name.clone(), renamed.spec.kind), (name("new"), OrgKind::Infra));
    world.wait(1);
    let unsaid = world.groups.update(&world.operator(), &folder.uid, edit_group(|spec| spec.kind = OrgKind::Unspecified)).await;
    assert_eq!(unsaid.unwrap(), renamed, "a folder whose kind is not said keeps it, which changes nothing");
}

#[tokio::test]
async fn a_group_goes_when_nothing_of_substance_is_left() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let group_uid = world.folder(&organization, "folder").await;
    let operator = world.operator();
    let blocked = |result: domain::Result<()>| {
        let error = result.unwrap_err();
        assert_eq!((error.kind(), error.rule()), (Kind::FailedPrecondition, Rule::NotEmpty));
        error.message().to_owned()
    };

    let child = world.folder(&group_uid, "child").await;
    assert_eq!(
        blocked(world.groups.delete(&operator, &group_uid).await),
        "Precondition failed: cannot delete group with child groups"
    );
    world.groups.delete(&operator, &child).await.unwrap();
    let child = world.repos.create(&operator, &group_uid, repo("nginx")).await.unwrap().uid;
    assert_eq!(
        blocked(world.groups.delete(&operator, &group_uid).await),
        "Precondition failed: cannot delete group with child repos"
    );
    world.repos.delete(&operator, &child).await.unwrap();
    let child = world.workload(&group_uid, "robot").await;
    assert!(blocked(world.groups.delete(&operator, &group_uid).await).contains("identities"));
    world.identities.delete(&operator, &child).await.unwrap();
    let child = world.role(&group_uid, "custom", &["repo.list"]).await;
    assert!(blocked(world.groups.delete(&operator, &group_uid).await).contains("roles"));
    world.roles.delete(&operator, &child).await.unwrap();

    let binding = world.bind(&group_uid, &alice, &built_in("viewer")).await;
    world.groups.delete(&operator, &group_uid).await.unwrap();
    assert_eq!(refused(world.groups.get(&operator, &group_uid).await), NOT_FOUND);
    assert_eq!(refused(world.role_bindings.get(&operator, &binding).await), NOT_FOUND);
    assert_eq!(refused(world.groups.delete(&operator, &group_uid).await), NOT_FOUND);
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
async fn the_same_values_change_nothing_and_an_old_tag_is_refused() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let mut operator = world.operator();
    let before = world.groups.get(&operator, &organization).await.unwrap();
    world.wait(10);
    assert_eq!(world.groups.update(&world.operator(), &organization, edit_group(|_| ())).await.unwrap(), before);

    operator = world.operator();
    operator.if_match = Some(before.revision.etag());
    let renamed = world.groups.update(&operator, &organization, edit_group(|spec| spec.name = name("new"))).await.unwrap();
    assert!(renamed.revision > before.revision && renamed.updated_at > before.updated_at);
    assert_eq!(renamed.created_at, before.created_at);
    assert_eq!(refused(world.groups.update(&operator, &organization, edit_group(|spec| spec.name = name("newer"))).await), STALE);
    assert_eq!(refused(world.groups.delete(&operator, &organization).await), STALE);
    operator.if_match = Some(Etag("*".into()));
    world.groups.delete(&operator, &organization).await.unwrap();
}

#[tokio::test]
async fn validating_keeps_nothing() {
    let world = World::new().await;
    let mut operator = world.operator();
    operator.validate_only = true;
    let would_be = world.groups.create(&operator, None, group("maybe")).await.unwrap();
    assert_eq!(would_be.spec, group("maybe"));
    assert!(world.bootstrap.is_empty().await.unwrap());
}
