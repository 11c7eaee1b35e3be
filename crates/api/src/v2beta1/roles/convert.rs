//! Roles between the wire and the domain.

use contract::chainguard::platform::iam::v2beta1 as wire;
use domain::{
    Capability, CapabilitySet, Description, Error, Name, Violations,
    iam::{Role, RoleSpec},
};

use crate::time;

/// A role for an answer.
pub(crate) fn to_wire(role: &Role) -> wire::Role {
    wire::Role {
        uid: role.uid.to_string(),
        create_time: Some(time::to_wire(role.created_at)),
        update_time: Some(time::to_wire(role.updated_at)),
        ..spec_to_wire(&role.spec)
    }
}

/// What callers may set of a role; the rest is left empty.
pub(crate) fn spec_to_wire(spec: &RoleSpec) -> wire::Role {
    wire::Role {
        name: spec.name.to_string(),
        description: spec.description.to_string(),
        capabilities: spec.capabilities.iter().map(Capability::number).collect(),
        ..wire::Role::default()
    }
}

/// What a request says that a role should be; output-only fields are not looked at.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
pub(crate) fn spec_from_wire(role: wire::Role) -> Result<RoleSpec, Error> {
    let wire::Role { name, description, capabilities: numbers, .. } = role;
    let mut violations = Violations::default();
    let name = Name::parse("name", &name, &mut violations);
    let description = Description::parse("description", &description, &mut violations);
    let capabilities = capabilities(&numbers, &mut violations);
    let spec = || Some(RoleSpec { name: name?, description: description?, capabilities });
    violations.finish(spec())
}

/// The set of these enum numbers; a violation for each that names no capability.
fn capabilities(numbers: &[i32], violations: &mut Violations) -> CapabilitySet {
    let mut set = CapabilitySet::EMPTY;
    for (i, number) in numbers.iter().enumerate() {
        match Capability::from_number(*number) {
            Some(capability) => set.insert(capability),
            None => violations.add(format!("capabilities[{i}]"), format!("{number} is not a capability")),
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(spec in specs::role()) {
            prop_assert_eq!(spec_from_wire(spec_to_wire(&spec)).ok(), Some(spec));
        }
    }

    #[test]
    fn numbers_that_are_no_capability_are_named() {
        let role = |capabilities| wire::Role { name: "a".into(), capabilities, ..wire::Role::default() };
        let message = spec_from_wire(role(vec![101, 0, 101, 99_999])).map_err(|error| error.message().to_owned());
        let expected = "Invalid argument: capabilities[1]: 0 is not a capability; capabilities[3]: 99999 is not a capability";
        assert_eq!(message, Err(expected.to_owned()));
        let names = spec_from_wire(role(vec![103, 101, 103])).map(|spec| spec.capabilities.names());
        assert_eq!(names.ok(), Some(vec!["groups.create", "groups.list"]));
    }

    #[test]
    fn the_contract_and_the_domain_have_the_same_capabilities() {
        use contract::chainguard::capabilities::Capability as Wire;
        for number in 1..=20_000 {
            assert_eq!(Wire::try_from(number).is_ok(), Capability::from_number(number).is_some(), "{number}");
        }
    }

    #[test]
    fn every_required_field_is_asked_for() {
        crate::required::is_asked_for(vec![wire::Role { name: "a".into(), ..wire::Role::default() }], spec_from_wire);
    }
}
