use access::built_in::ROLES;

use crate::world::{ISSUER, World, built_in, name, request};
use services::{bootstrap::Seed, iam::roles::RoleFilter};

#[tokio::test]
async fn built_in_roles_are_written_once() {
    let world = World::new().await;
    assert_eq!(world.bootstrap.built_in_roles(&world.system()).await.unwrap(), 0);
    let stored = world.roles.list(&world.operator(), request(), RoleFilter::default()).await.unwrap();
    assert_eq!(stored.total, u64::try_from(ROLES.len()).unwrap());
    for role in ROLES {
        let stored = world.roles.get(&world.operator(), &role.uid()).await.unwrap();
        assert_eq!((stored.spec.name, stored.spec.capabilities), (name(role.name), role.capabilities()));
        assert_eq!(stored.created_at, world.now());
    }
}

#[tokio::test]
async fn an_outdated_built_in_role_is_brought_up_to_date() {
    let world = World::new().await;
    let mut old = world.roles.get(&world.operator(), &built_in("viewer")).await.unwrap();
    let current = old.spec.clone();
    old.spec.capabilities = domain::CapabilitySet::EMPTY;
    world
        .store
        .write(&world.system(), move |tx| Box::pin(async move { store::iam::roles::upsert_built_in(tx, &old).await.map(drop) }))
        .await
        .unwrap();
    world.wait(5);
    assert_eq!(world.bootstrap.built_in_roles(&world.system()).await.unwrap(), 1);
    let now = world.roles.get(&world.operator(), &built_in("viewer")).await.unwrap();
    assert_eq!(now.spec, current);
    assert!(now.updated_at > now.created_at);
}

#[tokio::test]
async fn the_first_organization_has_an_owner_that_is_found_again() {
    let world = World::new().await;
    assert!(world.bootstrap.is_empty().await.unwrap());
    assert_eq!(world.bootstrap.owned_by(ISSUER, "alice").await.unwrap(), None);
    let (organization, alice) = world.organization("alice").await;
    assert!(!world.bootstrap.is_empty().await.unwrap());
    let found = world.bootstrap.owned_by(ISSUER, "alice").await.unwrap().unwrap();
    assert_eq!((&found.organization.uid, &found.owner.uid), (&organization, &alice));
    assert_eq!(found.binding.spec.role, built_in("owner"));

    let (second, same) = world.organization("alice").await;
    assert_ne!(second, organization);
    assert_eq!(same, alice, "a user is taken as it is");
    assert_eq!(world.bootstrap.owned_by(ISSUER, "bob").await.unwrap(), None);
}

#[tokio::test]
async fn the_oldest_of_several_organizations_counts_as_the_first() {
    let world = World::new().await;
    let (younger, _) = world.organization("alice").await;
    world.wait(-60);
    let (older, _) = world.organization("alice").await;
    assert!(younger < older, "by identifiers the younger one would be the first");
    assert_eq!(world.bootstrap.owned_by(ISSUER, "alice").await.unwrap().unwrap().organization.uid, older);
}

#[tokio::test]
async fn an_organization_can_get_a_further_owner() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let seed = |subject: &str| Seed {
        organization: name("ignored"),
        owner: name("bob"),
        issuer: ISSUER.to_owned(),
        subject: subject.to_owned(),
    };
    let seeded = world.bootstrap.owner(&world.system(), organization.clone(), seed("bob")).await.unwrap();
    assert_eq!(seeded.organization.uid, organization);
    assert_ne!(seeded.owner.uid, alice);
    let found = world.bootstrap.owned_by(ISSUER, "bob").await.unwrap().unwrap();
    assert_eq!((found.organization.uid, found.owner.uid), (organization.clone(), seeded.owner.uid));
    let nowhere = organization.child([1; 8]);
    let error = world.bootstrap.owner(&world.system(), nowhere, seed("carol")).await.unwrap_err();
    assert_eq!(error.kind(), domain::Kind::NotFound);
    assert_eq!(world.bootstrap.owned_by(ISSUER, "carol").await.unwrap(), None);
}

#[tokio::test]
async fn a_user_that_was_deleted_comes_back_without_its_old_tokens() {
    let world = World::new().await;
    let revision = async |user: &domain::Uidp| {
        let mut reader = world.store.reader().await.unwrap();
        store::iam::identities::relationship_revision(&mut reader, user).await.unwrap()
    };
    let (_, alice) = world.organization("alice").await;
    let before = revision(&alice).await.unwrap();
    world.identities.delete(&world.operator(), &alice).await.unwrap();
    assert_eq!(revision(&alice).await, None);
    world.wait(1);
    let (_, again) = world.organization("alice").await;
    assert_eq!(again, alice);
    assert!(revision(&again).await.unwrap() > before, "a token names the revision that it was made under");
}
