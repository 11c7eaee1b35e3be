//! Identities between the wire and the domain. How they prove themselves is in [`super::relationship`].

use contract::chainguard::platform::iam as wire;
use domain::{
    Description, Error, Name, Violations,
    iam::{Identity, IdentitySpec},
};

use super::relationship;
use crate::time;

/// An identity for an answer.
pub(crate) fn to_wire(identity: &Identity) -> wire::Identity {
    wire::Identity {
        id: identity.uid.to_string(),
        created_at: Some(time::to_wire(identity.created_at)),
        updated_at: Some(time::to_wire(identity.updated_at)),
        last_seen: Some(time::to_wire(identity.last_seen_at)),
        ..spec_to_wire(&identity.spec)
    }
}

/// What callers may set of an identity; the rest is left empty.
fn spec_to_wire(spec: &IdentitySpec) -> wire::Identity {
    wire::Identity {
        name: spec.name.to_string(),
        description: spec.description.to_string(),
        relationship: Some(relationship::to_wire(&spec.relationship)),
        ..wire::Identity::default()
    }
}

/// What a request says that an identity should be; there is no company in this version.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
pub(super) fn spec_from_wire(identity: wire::Identity) -> Result<IdentitySpec, Error> {
    let mut violations = Violations::default();
    let name = Name::parse("name", &identity.name, &mut violations);
    let description = Description::parse("description", &identity.description, &mut violations);
    let relationship = match identity.relationship {
        Some(relationship) => relationship::from_wire(relationship, &mut violations),
        // An empty request is answered by the complaint about the name alone.
        None if !violations.is_empty() => None,
        None => {
            violations.add("relationship", "exactly one of claim_match, static, aws_identity and service_principal is required");
            None
        }
    };
    let spec =
        || Some(IdentitySpec { name: name?, description: description?, company: String::new(), relationship: relationship? });
    violations.finish(spec())
}

/// What a field of an identity is called here.
pub(super) fn name(path: &str) -> Option<String> {
    match path {
        "static_keys.expires_at" => Some("static.expiration".to_owned()),
        path => path.strip_prefix("static_keys").map(|rest| format!("static{rest}")).or_else(|| super::super::parent_id(path)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(spec in specs::identity()) {
            let expected = IdentitySpec { company: String::new(), ..spec.clone() };
            prop_assert_eq!(spec_from_wire(spec_to_wire(&spec)).ok(), Some(expected));
        }
    }

    #[test]
    fn fields_have_their_names_of_this_version() {
        for (path, expected) in [
            ("static_keys.expires_at", Some("static.expiration")),
            ("static_keys.audiences", Some("static.audiences")),
            ("static_keys", Some("static")),
            ("parent", Some("parent_id")),
            ("claim_match.claims.static_keys", None),
        ] {
            assert_eq!(name(path).as_deref(), expected, "{path}");
        }
    }
}
