//! Identities between the wire and the domain. How they prove themselves is in [`super::relationship`].

use contract::chainguard::platform::iam::v2beta1 as wire;
use domain::{
    Description, Error, Name, Violations,
    iam::{Identity, IdentitySpec, RelationshipType},
};

use super::relationship;
use crate::{field, time};

/// An identity for an answer.
pub(crate) fn to_wire(identity: &Identity) -> wire::Identity {
    wire::Identity {
        uid: identity.uid.to_string(),
        email: identity.email.clone().unwrap_or_default(),
        email_unverified: identity.email_unverified.clone().unwrap_or_default(),
        last_seen_time: Some(time::to_wire(identity.last_seen_at)),
        create_time: Some(time::to_wire(identity.created_at)),
        update_time: Some(time::to_wire(identity.updated_at)),
        ..spec_to_wire(&identity.spec)
    }
}

/// What callers may set of an identity; the rest is left empty.
pub(crate) fn spec_to_wire(spec: &IdentitySpec) -> wire::Identity {
    wire::Identity {
        name: spec.name.to_string(),
        description: spec.description.to_string(),
        company: spec.company.clone(),
        relationship: Some(relationship::to_wire(&spec.relationship)),
        ..wire::Identity::default()
    }
}

/// What a request says that an identity should be; output-only fields are not looked at.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
pub(crate) fn spec_from_wire(identity: wire::Identity) -> Result<IdentitySpec, Error> {
    let mut violations = Violations::default();
    let name = Name::parse("name", &identity.name, &mut violations);
    let description = Description::parse("description", &identity.description, &mut violations);
    let relationship = match identity.relationship {
        Some(relationship) => relationship::from_wire(relationship, &mut violations),
        // An empty request is answered by the complaint about the name alone.
        None if !violations.is_empty() => None,
        None => {
            let expected = "exactly one of claim_match, static_keys, aws_identity and service_principal is required";
            violations.add("relationship", expected);
            None
        }
    };
    let spec =
        || Some(IdentitySpec { name: name?, description: description?, company: identity.company, relationship: relationship? });
    violations.finish(spec())
}

/// What a field of an identity is called here.
pub(super) fn name(path: &str) -> Option<String> {
    (path == "static_keys.expires_at").then(|| "static_keys.expiration_time".to_owned())
}

/// The kind of relationship that a list asks for; `None` for any, or when a violation was added.
pub(super) fn type_from_wire(number: i32, violations: &mut Violations) -> Option<RelationshipType> {
    match field::known("relationship_type", number, violations)? {
        wire::RelationshipType::Unspecified => None,
        wire::RelationshipType::ClaimMatch => Some(RelationshipType::ClaimMatch),
        wire::RelationshipType::Static => Some(RelationshipType::StaticKeys),
        wire::RelationshipType::AwsIdentity => Some(RelationshipType::AwsIdentity),
        wire::RelationshipType::ServicePrincipal => Some(RelationshipType::ServicePrincipal),
    }
}

#[cfg(test)]
mod tests {
    use contract::chainguard::platform::iam::v2beta1::identity::{ClaimMatch, Relationship, claim_match::Iss};
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(spec in specs::identity()) {
            prop_assert_eq!(spec_from_wire(spec_to_wire(&spec)).ok(), Some(spec));
        }
    }

    fn refused(name: &str, relationship: Option<Relationship>) -> String {
        let identity = wire::Identity { name: name.into(), relationship, ..wire::Identity::default() };
        spec_from_wire(identity).map_or_else(|error| error.message().to_owned(), |spec| format!("{spec:?}"))
    }

    #[test]
    fn an_empty_request_hears_about_the_name_alone() {
        assert_eq!(refused("", None), "Invalid argument: name: name must match \"^[a-z0-9 ._-]{1,}$\"");
    }

    #[test]
    fn one_relationship_is_required() {
        let expected = "Invalid argument: relationship: \
                        exactly one of claim_match, static_keys, aws_identity and service_principal is required";
        assert_eq!(refused("a", None), expected);
    }

    #[test]
    fn issuer_and_subject_are_required_as_text_or_pattern() {
        let expected = "Invalid argument: claim_match.issuer: exactly one of issuer and issuer_pattern is required; \
                        claim_match.subject: exactly one of subject and subject_pattern is required";
        assert_eq!(refused("a", Some(Relationship::ClaimMatch(ClaimMatch::default()))), expected);
        let empty = ClaimMatch { iss: Some(Iss::IssuerPattern(String::new())), ..ClaimMatch::default() };
        assert_eq!(refused("a", Some(Relationship::ClaimMatch(empty))), expected);
    }

    #[test]
    fn unknown_and_unspecified_principals_are_refused() {
        let expected = "Invalid argument: service_principal: service_principal has no value 14";
        assert_eq!(refused("a", Some(Relationship::ServicePrincipal(14))), expected);
        let expected = "Invalid argument: service_principal: service_principal must not be unspecified";
        assert_eq!(refused("a", Some(Relationship::ServicePrincipal(0))), expected);
    }

    #[test]
    fn keys_without_an_end_get_the_default_and_may_not_end_in_1970() {
        use contract::chainguard::platform::iam::v2beta1::identity::StaticKeys;
        let keys = |seconds: Option<i64>| {
            let expiration_time = seconds.map(|seconds| prost_types::Timestamp { seconds, nanos: 0 });
            let text = || "x".to_owned();
            let keys = StaticKeys { issuer: text(), subject: text(), issuer_keys: text(), expiration_time, audiences: vec![] };
            refused("a", Some(Relationship::StaticKeys(keys)))
        };
        assert!(keys(None).contains("expires_at: Timestamp(0)"), "{}", keys(None));
        let expected = "Invalid argument: static_keys.expiration_time: expiration_time must be in the future";
        assert_eq!(keys(Some(0)), expected);
    }

    #[test]
    fn filters_by_type_know_every_type() {
        let read = |number| {
            let mut violations = Violations::default();
            let kind = type_from_wire(number, &mut violations);
            violations.check().map(|()| kind).map_err(|error| error.message().to_owned())
        };
        assert_eq!(read(0), Ok(None));
        assert_eq!(read(2), Ok(Some(RelationshipType::StaticKeys)));
        assert_eq!(read(5), Err("Invalid argument: relationship_type: relationship_type has no value 5".to_owned()));
    }

    #[test]
    fn every_required_field_is_asked_for() {
        use contract::chainguard::platform::iam::v2beta1::identity::{AwsIdentity, StaticKeys, aws_identity, claim_match::Sub};
        let text = || "x".to_owned();
        let identity =
            |relationship| wire::Identity { name: text(), relationship: Some(relationship), ..wire::Identity::default() };
        let claims = ClaimMatch { iss: Some(Iss::Issuer(text())), sub: Some(Sub::Subject(text())), ..ClaimMatch::default() };
        let keys = StaticKeys { issuer: text(), subject: text(), issuer_keys: text(), expiration_time: None, audiences: vec![] };
        let aws = AwsIdentity {
            aws_account: text(),
            aws_arn: Some(aws_identity::AwsArn::Arn(text())),
            aws_user_id: Some(aws_identity::AwsUserId::UserId(text())),
        };
        let all = vec![
            identity(Relationship::ClaimMatch(claims)),
            identity(Relationship::StaticKeys(keys)),
            identity(Relationship::AwsIdentity(aws)),
            identity(Relationship::ServicePrincipal(1)),
        ];
        crate::required::is_asked_for(all, spec_from_wire);
    }
}
