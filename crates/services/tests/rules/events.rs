//! What each change announces: one event with its subject and its group, one entry in the feed for each row.

use std::sync::Arc;

use domain::{Ctx, EventRule, Noun, Op, Revision};
use services::iam::BatchItem;

use crate::world::{
    KEYS, World, account_association, binding, built_in, edit_binding, edit_group, edit_identity, edit_repo, edit_role, group,
    name, repo, role, workload,
};

const RULE: EventRule = EventRule { kind: "dev.example.happened.v1", customer: true };

/// An operator's call of a method that has an event.
fn announcing(world: &World) -> Ctx {
    Ctx { event: Some(RULE), api_version: "v2beta1", ..world.operator() }
}

/// Subject and group of the events since the last look.
async fn events(world: &World, seen: &mut Revision) -> Vec<(String, String)> {
    let mut reader = world.store.reader().await.unwrap();
    let events = store::outbox::pending(&mut reader, *seen, 100).await.unwrap();
    if let Some(last) = events.last() {
        *seen = last.revision;
    }
    assert!(events.iter().all(|event| (event.kind.as_str(), event.api_version.as_str()) == (RULE.kind, "v2beta1")));
    events.into_iter().map(|event| (event.subject, event.group)).collect()
}

#[tokio::test]
async fn every_change_announces_itself_once() {
    let world = World::new().await;
    let (_, alice) = world.organization("alice").await;
    let mut seen = Revision::default();
    assert!(events(&world, &mut seen).await.is_empty(), "nobody asked for events so far");
    let pair = |subject: &dyn ToString, group: &dyn ToString| vec![(subject.to_string(), group.to_string())];
    let ctx = announcing(&world);

    let organization = world.groups.create(&ctx, None, group("organization")).await.unwrap().uid;
    assert_eq!(events(&world, &mut seen).await, pair(&organization, &organization));
    let folder = world.groups.create(&ctx, Some(&organization), group("folder")).await.unwrap().uid;
    assert_eq!(events(&world, &mut seen).await, pair(&folder, &folder));
    world.groups.update(&ctx, &folder, edit_group(|spec| spec.name = name("new"))).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&folder, &folder));
    world.groups.update(&ctx, &folder, edit_group(|_| ())).await.unwrap();
    assert!(events(&world, &mut seen).await.is_empty(), "nothing changed");

    let robot = world.identities.create(&ctx, &folder, workload("robot"), KEYS).await.unwrap().uid;
    assert_eq!(events(&world, &mut seen).await, pair(&robot, &folder));
    world.identities.update(&ctx, &robot, edit_identity(|spec| spec.name = name("new")), KEYS).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&robot, &folder));
    let custom = world.roles.create(&ctx, &folder, role("custom", &["repo.list"])).await.unwrap().uid;
    assert_eq!(events(&world, &mut seen).await, pair(&custom, &folder));
    world.roles.update(&ctx, &custom, edit_role(|spec| spec.name = name("new"))).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&custom, &folder));

    let bound = world.role_bindings.create(&ctx, &folder, binding(&robot, &custom)).await.unwrap().binding.uid;
    assert_eq!(events(&world, &mut seen).await, pair(&bound, &folder));
    world.role_bindings.update(&ctx, &bound, edit_binding(|spec| spec.role = built_in("viewer"))).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&bound, &folder));
    let items = [&robot, &alice].map(|identity| BatchItem { parent: None, identity: identity.clone(), role: None }).to_vec();
    world.role_bindings.batch_create(&ctx, &folder, Some(&custom), items.clone()).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&folder, &folder), "one for the whole batch");
    world.role_bindings.delete(&ctx, &bound).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&bound, &folder));
    world.role_bindings.delete(&ctx, &bound).await.unwrap();
    assert!(events(&world, &mut seen).await.is_empty(), "it was gone before");

    let accounts = account_association("accounts");
    world.account_associations.create(&ctx, &folder, accounts).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&folder, &folder), "it is called as its group");
    world.account_associations.update(&ctx, &folder, Arc::new(|_| Ok(account_association("new")))).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&folder, &folder));
    let last = seen;
    world.account_associations.delete(&ctx, &folder).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&folder, &folder));
    let mut reader = world.store.reader().await.unwrap();
    assert_eq!(store::outbox::pending(&mut reader, last, 100).await.unwrap()[0].snapshot, "null", "its event has no body");
    drop(reader);
    world.account_associations.delete(&ctx, &folder).await.unwrap();
    assert!(events(&world, &mut seen).await.is_empty(), "it was gone before");

    let nginx = world.repos.create(&ctx, &folder, repo("nginx")).await.unwrap().uid;
    assert_eq!(events(&world, &mut seen).await, pair(&nginx, &folder));
    world.repos.update(&ctx, &nginx, edit_repo(|spec| spec.name = name("new"))).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&nginx, &folder));
    world.repos.delete(&ctx, &nginx).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&nginx, &folder));
    world.identities.delete(&ctx, &robot).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&robot, &folder), "its bindings go with it quietly");
    world.identities.delete(&world.operator(), &alice).await.unwrap();
    world.roles.delete(&ctx, &custom).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&custom, &folder));
    world.groups.delete(&ctx, &folder).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&folder, &organization));
    world.groups.delete(&ctx, &organization).await.unwrap();
    assert_eq!(events(&world, &mut seen).await, pair(&organization, &"/"));
}

#[tokio::test]
async fn the_feed_names_every_row_of_a_cascade() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let robot = world.workload(&organization, "robot").await;
    let (first, second) = (
        world.bind(&organization, &robot, &built_in("viewer")).await,
        world.bind(&organization, &robot, &built_in("editor")).await,
    );
    let since = world.identities.get(&world.operator(), &alice).await.unwrap().revision;
    world.identities.delete(&world.operator(), &robot).await.unwrap();
    let mut reader = world.store.reader().await.unwrap();
    let changes = store::changes::since(&mut reader, since, 100).await.unwrap();
    let mut gone: Vec<_> =
        changes.iter().filter(|change| change.op == Op::Deleted).map(|c| (c.noun.as_str(), c.uid.clone())).collect();
    gone.sort();
    let mut expected = vec![
        (Noun::Identity.as_str(), robot.to_string()),
        (Noun::RoleBinding.as_str(), first.to_string()),
        (Noun::RoleBinding.as_str(), second.to_string()),
    ];
    expected.sort();
    assert_eq!(gone, expected);
}
