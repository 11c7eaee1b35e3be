//! How identities prove themselves, between the wire and the domain.

use contract::chainguard::platform::iam::identity::{self as wire, Relationship as Wire};
use domain::{
    Violations,
    iam::{Relationship, StaticKeys},
};

use crate::{mirror, relationship::alike, time};

alike!(wire);

/// A relationship for an answer.
pub(super) fn to_wire(relationship: &Relationship) -> Wire {
    match relationship {
        Relationship::ClaimMatch(rule) => Wire::ClaimMatch(claims_to_wire(rule)),
        Relationship::StaticKeys(keys) => Wire::Static(keys_to_wire(keys)),
        Relationship::AwsIdentity(aws) => Wire::AwsIdentity(aws_to_wire(aws)),
        Relationship::ServicePrincipal { principal } => Wire::ServicePrincipal(principal.0),
    }
}

/// What a request says, or violations and `None`. Presence, sizes, patterns and keys are judged by the use case.
pub(super) fn from_wire(wire: Wire, violations: &mut Violations) -> Option<Relationship> {
    Some(match wire {
        Wire::ClaimMatch(rule) => Relationship::ClaimMatch(claims_from_wire(rule, violations)?),
        Wire::Static(keys) => Relationship::StaticKeys(keys_from_wire(keys, violations)?),
        Wire::AwsIdentity(aws) => Relationship::AwsIdentity(aws_from_wire(aws, violations)?),
        Wire::ServicePrincipal(number) => Relationship::ServicePrincipal { principal: mirror::principal(number, violations)? },
    })
}

fn keys_to_wire(keys: &StaticKeys) -> wire::StaticKeys {
    wire::StaticKeys {
        issuer: keys.issuer.clone(),
        subject: keys.subject.clone(),
        issuer_keys: keys.issuer_keys.clone(),
        expiration: Some(time::to_wire(keys.expires_at)),
        audiences: keys.audiences.clone(),
    }
}

fn keys_from_wire(keys: wire::StaticKeys, violations: &mut Violations) -> Option<StaticKeys> {
    Some(StaticKeys {
        expires_at: time::end("static.expiration", keys.expiration.as_ref(), violations)?,
        issuer: keys.issuer,
        subject: keys.subject,
        issuer_keys: keys.issuer_keys,
        audiences: keys.audiences,
    })
}
