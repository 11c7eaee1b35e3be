//! What update masks do to each noun.

use contract::Message;
use domain::{Error, Patch, Rule, error::Detail};
use prost_types::FieldMask;

use crate::mask;

/// The paths of a mask; `None` is no mask at all.
type Paths<'a> = Option<&'a [&'a str]>;

fn apply<T: 'static, W: Message>(
    current: &T,
    wished: W,
    paths: Paths<'_>,
    to_wire: fn(&T) -> W,
    from_wire: fn(W) -> Result<T, Error>,
) -> Result<T, (Rule, String)> {
    let mask = paths.map(|paths| FieldMask { paths: paths.iter().map(|path| (*path).to_owned()).collect() });
    let patch: Patch<T> = mask::patch(wished, mask, to_wire, from_wire);
    patch(current).map_err(|error| {
        let first = error.details().iter().find_map(|detail| match detail {
            Detail::Fields(violations) => violations.first().map(|violation| violation.field.clone()),
            _ => None,
        });
        (error.rule(), first.unwrap_or_default())
    })
}

mod groups {
    use contract::chainguard::platform::iam::v2beta1::{Group, OrgKind as WireKind};
    use domain::{
        Description, Name,
        iam::{GroupSpec, OrgKind},
    };

    use super::{super::groups::convert, *};

    fn current() -> GroupSpec {
        let (name, description) = (Name::trusted("a"), Description::trusted("text"));
        GroupSpec { name, description, verified: true, kind: OrgKind::Dev }
    }

    fn update(wished: Group, paths: Paths<'_>) -> Result<GroupSpec, (Rule, String)> {
        apply(&current(), wished, paths, convert::spec_to_wire, convert::spec_from_wire)
    }

    fn wished() -> Group {
        Group { name: "b".into(), kind: WireKind::Customer.into(), ..Group::default() }
    }

    #[test]
    fn without_a_mask_populated_fields_count() {
        let expected = GroupSpec { name: Name::trusted("b"), kind: OrgKind::Customer, ..current() };
        assert_eq!(update(wished(), None), Ok(expected.clone()));
        assert_eq!(update(wished(), Some(&[])), Ok(expected));
        assert_eq!(update(Group::default(), None), Ok(current()));
    }

    #[test]
    fn a_mask_names_what_counts() {
        assert_eq!(update(wished(), Some(&["name"])), Ok(GroupSpec { name: Name::trusted("b"), ..current() }));
        let cleared = GroupSpec { description: Description::default(), verified: false, ..current() };
        assert_eq!(update(wished(), Some(&["description", "verified"])), Ok(cleared));
    }

    #[test]
    fn a_star_replaces_everything_that_callers_may_set() {
        let replaced =
            GroupSpec { name: Name::trusted("b"), description: Description::default(), verified: false, kind: OrgKind::Customer };
        assert_eq!(update(wished(), Some(&["*"])), Ok(replaced));
    }

    #[test]
    fn the_outcome_is_judged_as_a_whole() {
        assert_eq!(update(Group { kind: 1, ..Group::default() }, Some(&["*"])), Err((Rule::Field, "name".to_owned())));
        assert_eq!(update(Group { name: "B".into(), ..Group::default() }, None), Err((Rule::Field, "name".to_owned())));
        assert_eq!(update(Group { kind: 99, ..Group::default() }, None), Err((Rule::Field, "kind".to_owned())));
    }

    #[test]
    fn output_only_fields_are_ignored() {
        let wished = Group { uid: "x".into(), status: 99, ..Group::default() };
        let paths = ["uid", "status", "create_time", "updateTime", "resource_limits"];
        assert_eq!(update(wished.clone(), Some(&paths)), Ok(current()));
        assert_eq!(update(wished, None), Ok(current()));
    }

    #[test]
    fn unknown_paths_are_the_masks_fault() {
        for path in ["size", "name.first", "Name", "", "group.name"] {
            assert_eq!(update(wished(), Some(&["name", path])), Err((Rule::UpdateMask, "update_mask".to_owned())), "{path}");
        }
    }

    #[test]
    fn masks_have_an_end() {
        assert_eq!(update(wished(), Some(&["name"; 1001])), Err((Rule::UpdateMask, "update_mask".to_owned())));
        assert!(update(wished(), Some(&["name"; 1000])).is_ok());
    }
}

mod identities {
    use std::collections::BTreeMap;

    use contract::chainguard::platform::iam::v2beta1::{
        Identity,
        identity::{
            ClaimMatch as WireClaims, Relationship as Wire,
            claim_match::{Aud, Sub},
        },
    };
    use domain::{
        Description, Name,
        iam::{ClaimMatch, IdentitySpec, Matcher, Relationship, ServicePrincipal},
    };

    use super::{super::identities::convert, *};

    fn rule() -> ClaimMatch {
        ClaimMatch {
            issuer: Matcher::Literal("https://issuer.example".into()),
            subject: Matcher::Literal("me".into()),
            audience: Some(Matcher::Literal("you".into())),
            claims: BTreeMap::from([("a".into(), "1".into()), ("b".into(), "2".into())]),
            claim_patterns: BTreeMap::new(),
        }
    }

    fn current() -> IdentitySpec {
        IdentitySpec {
            name: Name::trusted("a"),
            description: Description::trusted("text"),
            company: "firm".into(),
            relationship: Relationship::ClaimMatch(rule()),
        }
    }

    fn update(relationship: Option<Wire>, paths: Paths<'_>) -> Result<Relationship, (Rule, String)> {
        let wished = Identity { relationship, ..Identity::default() };
        let updated = apply(&current(), wished, paths, convert::spec_to_wire, convert::spec_from_wire);
        updated.map(|spec| spec.relationship)
    }

    #[test]
    fn a_pattern_replaces_the_literal() {
        let wished = WireClaims { sub: Some(Sub::SubjectPattern("m.*".into())), ..WireClaims::default() };
        let expected = Relationship::ClaimMatch(ClaimMatch { subject: Matcher::Pattern("m.*".into()), ..rule() });
        for paths in [Some(&["claim_match.subject_pattern"][..]), Some(&["claimMatch.subjectPattern"]), None] {
            assert_eq!(update(Some(Wire::ClaimMatch(wished.clone())), paths), Ok(expected.clone()), "{paths:?}");
        }
    }

    #[test]
    fn maps_are_replaced_as_a_whole() {
        let claims = BTreeMap::from([("c".to_owned(), "3".to_owned())]);
        let wished = WireClaims { claims: claims.clone(), ..WireClaims::default() };
        let updated = update(Some(Wire::ClaimMatch(wished.clone())), Some(&["claim_match.claims"]));
        assert_eq!(updated, Ok(Relationship::ClaimMatch(ClaimMatch { claims, ..rule() })));
        let into = update(Some(Wire::ClaimMatch(wished)), Some(&["claim_match.claims.c"]));
        assert_eq!(into, Err((Rule::UpdateMask, "update_mask".to_owned())));
    }

    #[test]
    fn the_audience_can_go_but_issuer_and_subject_cannot() {
        let without = Relationship::ClaimMatch(ClaimMatch { audience: None, ..rule() });
        assert_eq!(update(None, Some(&["claim_match.audience"])), Ok(without));
        assert_eq!(update(None, Some(&["claim_match.issuer"])), Err((Rule::Field, "claim_match.issuer".to_owned())));
        let other = WireClaims { aud: Some(Aud::AudiencePattern(".*".into())), ..WireClaims::default() };
        assert_eq!(
            update(Some(Wire::ClaimMatch(other)), Some(&["claim_match"])),
            Err((Rule::Field, "claim_match.issuer".to_owned()))
        );
    }

    #[test]
    fn another_relationship_replaces_the_old_one() {
        let expected = Relationship::ServicePrincipal { principal: ServicePrincipal(4) };
        for paths in [Some(&["service_principal"][..]), None] {
            assert_eq!(update(Some(Wire::ServicePrincipal(4)), paths), Ok(expected.clone()), "{paths:?}");
        }
        assert_eq!(update(None, Some(&["claim_match"])), Err((Rule::Field, "relationship".to_owned())));
        let unknown = update(Some(Wire::ServicePrincipal(99)), None);
        assert_eq!(unknown, Err((Rule::Field, "service_principal".to_owned())));
    }
}

mod roles {
    use contract::chainguard::platform::iam::v2beta1::Role;
    use domain::{CapabilitySet, Description, Name, iam::RoleSpec};

    use super::{super::roles::convert, *};

    fn update(wished: Role, paths: Paths<'_>) -> Result<RoleSpec, (Rule, String)> {
        let capabilities = CapabilitySet::from_names(["groups.create", "groups.list"]);
        let current = RoleSpec { name: Name::trusted("a"), description: Description::trusted("text"), capabilities };
        apply(&current, wished, paths, convert::spec_to_wire, convert::spec_from_wire)
    }

    #[test]
    fn capabilities_are_replaced_as_a_whole() {
        let wished = Role { capabilities: vec![102], ..Role::default() };
        for paths in [None, Some(&["capabilities"][..])] {
            let updated = update(wished.clone(), paths).map(|spec| (spec.capabilities.names(), spec.name));
            assert_eq!(updated, Ok((vec!["groups.update"], Name::trusted("a"))), "{paths:?}");
        }
        let bad = Role { capabilities: vec![102, 1], ..Role::default() };
        assert_eq!(update(bad.clone(), None).err(), Some((Rule::Field, "capabilities[1]".to_owned())));
        assert!(update(Role { name: "b".into(), ..bad }, Some(&["name"])).is_ok(), "what the mask leaves out is not judged");
    }

    #[test]
    fn the_name_cannot_go() {
        assert_eq!(update(Role::default(), Some(&["name"])).err(), Some((Rule::Field, "name".to_owned())));
    }
}

mod role_bindings {
    use contract::chainguard::platform::iam::v2beta1::{RoleBinding, RoleBindingRole};
    use domain::{Uidp, iam::RoleBindingSpec};

    use super::{super::role_bindings::convert, *};

    fn uid(byte: u8) -> Uidp {
        Uidp::root_from([byte; 20])
    }

    fn update(wished: RoleBinding, paths: Paths<'_>) -> Result<RoleBindingSpec, (Rule, String)> {
        let current = RoleBindingSpec { identity: uid(1), role: uid(2) };
        apply(&current, wished, paths, convert::spec_to_wire, convert::spec_from_wire)
    }

    #[test]
    fn either_reference_can_change_and_none_can_go() {
        let wished = || RoleBinding { role_uid: uid(3).to_string(), ..RoleBinding::default() };
        assert_eq!(update(wished(), None), Ok(RoleBindingSpec { identity: uid(1), role: uid(3) }));
        assert_eq!(update(wished(), Some(&["roleUid"])), Ok(RoleBindingSpec { identity: uid(1), role: uid(3) }));
        assert_eq!(update(wished(), Some(&["*"])), Err((Rule::Field, "identity_uid".to_owned())));
        let bad = RoleBinding { identity_uid: "x".into(), ..RoleBinding::default() };
        assert_eq!(update(bad, None), Err((Rule::Field, "identity_uid".to_owned())));
    }

    #[test]
    fn what_is_shown_of_references_is_not_a_wish() {
        let role = Some(RoleBindingRole { uid: uid(3).to_string(), ..RoleBindingRole::default() });
        let updated = update(RoleBinding { role, ..RoleBinding::default() }, Some(&["role", "role.uid"]));
        assert_eq!(updated, Ok(RoleBindingSpec { identity: uid(1), role: uid(2) }));
    }
}

mod repos {
    use contract::chainguard::platform::registry::v2beta1::{CustomOverlay, Repo, SyncConfig as WireSync};
    use domain::{
        Description, Name, Timestamp, Uidp,
        registry::{CatalogTier, RepoSpec, SyncConfig},
    };

    use super::{super::repos::convert, *};

    fn uid(byte: u8) -> Uidp {
        Uidp::root_from([byte; 20])
    }

    fn current() -> RepoSpec {
        let sync = SyncConfig {
            source: uid(1),
            unique_tags: true,
            expires_at: Timestamp(5000),
            google: "g".into(),
            amazon: "a".into(),
            azure: String::new(),
            apko_overlay: "o".into(),
            grace_period: true,
        };
        RepoSpec {
            name: Name::trusted("a"),
            description: Description::default(),
            catalog_tier: CatalogTier::Base,
            bundles: vec!["base".into()],
            aliases: vec![],
            active_tags: vec!["b".into(), "a".into()],
            sync_config: Some(sync),
            custom_overlay: None,
        }
    }

    fn update(wished: Repo, paths: Paths<'_>) -> Result<RepoSpec, (Rule, String)> {
        apply(&current(), wished, paths, convert::spec_to_wire, convert::spec_from_wire)
    }

    #[test]
    fn lists_are_replaced_as_a_whole_and_keep_their_order() {
        let wished = Repo { active_tags: vec!["z".into(), "b".into()], ..Repo::default() };
        let updated = update(wished, Some(&["active_tags", "bundles"]));
        let expected = RepoSpec { active_tags: vec!["z".into(), "b".into()], bundles: vec![], ..current() };
        assert_eq!(updated, Ok(expected));
    }

    #[test]
    fn the_servers_part_of_sync_stays() {
        let sync = WireSync {
            source: uid(2).to_string(),
            unique_tags: false,
            expiration_time: Some(prost_types::Timestamp { seconds: 99, nanos: 0 }),
            apko_overlay: "mine".into(),
            ..WireSync::default()
        };
        let wished = Repo { name: "a".into(), sync_config: Some(sync), ..Repo::default() };
        let updated = update(wished, Some(&["*"])).map(|spec| spec.sync_config);
        let expected =
            current().sync_config.map(|sync| SyncConfig { source: uid(2), google: String::new(), amazon: String::new(), ..sync });
        assert_eq!(updated, Ok(expected));
    }

    #[test]
    fn syncing_can_end() {
        let updated = update(Repo::default(), Some(&["sync_config"]));
        assert_eq!(updated, Ok(RepoSpec { sync_config: None, ..current() }));
    }

    #[test]
    fn messages_on_the_way_are_made() {
        let environment = [("A".to_owned(), "1".to_owned())].into();
        let overlay = CustomOverlay { environment, ..CustomOverlay::default() };
        let wished = Repo { custom_overlay: Some(overlay), ..Repo::default() };
        let updated = update(wished, Some(&["custom_overlay.environment"])).map(|spec| spec.custom_overlay);
        let environment = updated.ok().flatten().map(|overlay| overlay.environment);
        assert_eq!(environment, Some([("A".to_owned(), "1".to_owned())].into()));
    }
}
