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
        email: None,
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

#[tokio::test]
async fn planting_the_same_seed_again_changes_nothing() {
    let world = World::new().await;
    let seed = |organization: &str, subject: &str| Seed {
        organization: name(organization),
        owner: name("ada"),
        issuer: ISSUER.to_owned(),
        subject: subject.to_owned(),
        email: Some("ada@example.com".to_owned()),
    };
    let plant = async |seed: Seed| world.bootstrap.organization_once(&world.system(), seed).await;
    let (first, made) = plant(seed("acme", "ada")).await.unwrap();
    assert!(made);
    assert_eq!(first.owner.email.as_deref(), Some("ada@example.com"));
    let newest = async || store::audit::newest(&mut world.store.reader().await.unwrap(), 1).await.unwrap();
    let before = newest().await;
    assert_eq!(plant(seed("acme", "ada")).await.unwrap(), (first.clone(), false));
    assert_eq!(newest().await, before, "nothing was written");

    let error = plant(seed("acme", "bob")).await.unwrap_err();
    assert_eq!(error.kind(), domain::Kind::AlreadyExists);
    assert!(error.message().contains("bob of https://issuer.example does not own it"), "{error}");
    assert_eq!(newest().await, before, "bob was not made");

    let (second, made) = plant(seed("other", "ada")).await.unwrap();
    assert!(made && second.owner.uid == first.owner.uid && second.organization.uid != first.organization.uid);
}

/// Finds fault with every issuer that is not the test's.
struct OnlyOurs;

#[async_trait::async_trait]
impl domain::ports::CheckRelationship for OnlyOurs {
    async fn check(
        &self,
        _: &str,
        relationship: &domain::iam::Relationship,
        violations: &mut domain::Violations,
    ) -> Result<(), domain::Error> {
        let domain::iam::Relationship::ClaimMatch(rule) = relationship else { return Ok(()) };
        if rule.issuer != domain::iam::Matcher::Literal(ISSUER.to_owned()) {
            violations.add("claim_match.issuer", "issuer must be ours");
        }
        Ok(())
    }

    fn check_issuer(&self, _: &str) -> Result<(), String> {
        Ok(())
    }

    fn warning(&self, _: &domain::iam::Relationship) -> Option<String> {
        None
    }
}

#[tokio::test]
async fn seeds_that_people_write_are_judged() {
    let parse = async |organization: &str, issuer: &str, subject: &str, email: Option<&str>| {
        let email = email.map(Into::into);
        let seed = Seed::parse(organization, issuer.into(), subject.into(), email, domain::Timestamp(1), &OnlyOurs);
        seed.await.map(|seed| seed.owner.to_string()).map_err(|error| error.message().to_owned())
    };
    assert_eq!(parse("acme", ISSUER, "auth0|1A/b", None).await.as_deref(), Ok("auth0-1a-b"));
    assert_eq!(parse("acme", ISSUER, "x", Some("Ada@Example.com")).await.as_deref(), Ok("ada-example.com"));
    let all = parse("Acme!", "https://other.example", "", Some("no address")).await.unwrap_err();
    for part in ["organization: organization must match", "issuer must be ours", "subject is required", "such as ada@example.com"]
    {
        assert!(all.contains(part), "{part} in {all}");
    }
}
