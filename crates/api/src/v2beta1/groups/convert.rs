//! Groups between the wire and the domain.

use contract::chainguard::platform::iam::v2beta1 as wire;
use domain::{
    Description, Error, Name, Violations,
    iam::{Group, GroupSpec, ResourceLimits},
};

use crate::{mirror, time};

/// A group for an answer.
pub(crate) fn to_wire(group: &Group) -> wire::Group {
    wire::Group {
        uid: group.uid.to_string(),
        create_time: Some(time::to_wire(group.created_at)),
        update_time: Some(time::to_wire(group.updated_at)),
        status: mirror::number::<wire::OrgStatus>(group.status),
        resource_limits: limits_to_wire(&group.resource_limits),
        ..spec_to_wire(&group.spec)
    }
}

/// How much there may be, for an answer.
pub(crate) fn limits_to_wire<M: FromIterator<(String, i32)>>(limits: &ResourceLimits) -> M {
    limits.iter().map(|(name, most)| (name.to_owned(), i32::try_from(most).unwrap_or(i32::MAX))).collect()
}

/// What callers may set of a group; the rest is left empty.
pub(crate) fn spec_to_wire(spec: &GroupSpec) -> wire::Group {
    wire::Group {
        name: spec.name.to_string(),
        description: spec.description.to_string(),
        verified: spec.verified,
        kind: mirror::number::<wire::OrgKind>(spec.kind),
        ..wire::Group::default()
    }
}

/// What a request says that a group should be; output-only fields are not looked at.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
pub(crate) fn spec_from_wire(group: wire::Group) -> Result<GroupSpec, Error> {
    let wire::Group { name, description, verified, kind, .. } = group;
    let mut violations = Violations::default();
    let name = Name::parse("name", &name, &mut violations);
    let description = Description::parse("description", &description, &mut violations);
    let kind = mirror::known::<wire::OrgKind, _>("kind", kind, &mut violations);
    let spec = || Some(GroupSpec { name: name?, description: description?, verified, kind: kind? });
    violations.finish(spec())
}

#[cfg(test)]
mod tests {
    use domain::{
        Revision, Timestamp,
        iam::{OrgKind, OrgStatus},
    };
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(spec in specs::group()) {
            prop_assert_eq!(spec_from_wire(spec_to_wire(&spec)).ok(), Some(spec));
        }
    }

    #[test]
    fn answers_show_everything() {
        let mut violations = Violations::default();
        let resource_limits = ResourceLimits::parse("limits", [("repos".to_owned(), 3)], &mut violations).expect("good limits");
        let group = Group {
            uid: domain::Uidp::root_from([1; 20]),
            spec: GroupSpec {
                name: Name::trusted("a"),
                description: Description::trusted("b"),
                verified: true,
                kind: OrgKind::Customer,
            },
            status: OrgStatus::Suspended,
            resource_limits,
            public: false,
            created_at: Timestamp(1001),
            updated_at: Timestamp(2000),
            revision: Revision(7),
        };
        let expected = wire::Group {
            uid: group.uid.to_string(),
            name: "a".into(),
            description: "b".into(),
            resource_limits: [("repos".to_owned(), 3)].into(),
            verified: true,
            create_time: Some(prost_types::Timestamp { seconds: 1, nanos: 1_000_000 }),
            update_time: Some(prost_types::Timestamp { seconds: 2, nanos: 0 }),
            kind: 2,
            status: 3,
        };
        assert_eq!(to_wire(&group), expected);
    }

    #[test]
    fn every_bad_field_is_named_at_once() {
        let bad = wire::Group { name: "A".into(), description: "\n".into(), kind: 6, ..wire::Group::default() };
        let message = spec_from_wire(bad).map_err(|error| error.message().to_owned());
        let expected = "Invalid argument: name: name must match \"^[a-z0-9 ._-]{1,}$\"; \
                        description: description must match \"^[\\S ]{0,512}$\"; kind: kind has no value 6";
        assert_eq!(message, Err(expected.to_owned()));
    }

    #[test]
    fn every_required_field_is_asked_for() {
        crate::required::is_asked_for(vec![wire::Group { name: "a".into(), ..wire::Group::default() }], spec_from_wire);
    }
}
