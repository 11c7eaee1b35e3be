mod body;
mod create;
mod delete;
mod get;
mod list;
mod lookup;
mod relationship;
mod takeover;
mod update;

use contract::chainguard::platform::iam::v2beta1::{
    CreateIdentityRequest, Identity,
    identity::{
        ClaimMatch, Relationship, StaticKeys,
        claim_match::{Iss, Sub},
    },
};

/// A public key set (the key of RFC 8037 appendix A.2).
pub(crate) const KEYS: &str =
    r#"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k1","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;

/// An identity to create or to send in an update.
pub(crate) fn identity(name: &str, relationship: Option<Relationship>) -> Identity {
    Identity { name: name.into(), relationship, ..Identity::default() }
}

/// A request for an identity in the group `parent`.
pub(crate) fn new_identity(parent: &str, name: &str, relationship: Option<Relationship>) -> CreateIdentityRequest {
    CreateIdentityRequest { parent: parent.into(), identity: Some(identity(name, relationship)) }
}

/// The subject of the issuer's tokens, both to the letter.
pub(crate) fn claims(issuer: &str, subject: &str) -> Relationship {
    Relationship::ClaimMatch(ClaimMatch {
        iss: Some(Iss::Issuer(issuer.into())),
        sub: Some(Sub::Subject(subject.into())),
        ..ClaimMatch::default()
    })
}

/// A workload of an issuer that this server never asks.
pub(crate) fn ci() -> Relationship {
    claims("https://issuer.example", "ci")
}

/// A workload with a pasted key.
pub(crate) fn keys() -> StaticKeys {
    StaticKeys {
        issuer: "https://kubernetes.default.svc".into(),
        subject: "system:serviceaccount:apps:builder".into(),
        issuer_keys: KEYS.into(),
        ..StaticKeys::default()
    }
}
