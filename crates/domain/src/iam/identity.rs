//! Identities: users and workloads, and how each proves that it is itself.

use std::collections::BTreeMap;

use aws_lc_rs::digest;
use serde::{Deserialize, Serialize};

use crate::{
    entropy::Entropy,
    error::Error,
    revision::Revision,
    text::{Description, Name},
    time::Timestamp,
    uidp::Uidp,
};

/// Someone or something that acts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its identifier. A root is a user identity; others live in a group.
    pub uid: Uidp,
    /// What callers may set.
    pub spec: IdentitySpec,
    /// The verified address of a user, from the upstream token.
    pub email: Option<String>,
    /// The address of a user that the upstream did not verify.
    pub email_unverified: Option<String>,
    /// When it last exchanged a token; its creation before that. Up to a second may be lost in a crash.
    pub last_seen_at: Timestamp,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Drawn anew whenever the relationship changes, and by each restore of a backup; tokens made before are refused.
    pub relationship_revision: i64,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// What callers may set of an identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentitySpec {
    /// Need not be unique.
    pub name: Name,
    /// Free text, one line.
    pub description: Description,
    /// The employer of a user, as told.
    pub company: String,
    /// How it proves itself.
    pub relationship: Relationship,
}

/// A mark for a relationship that begins: what its tokens are bound to. It is drawn and not counted, so that none comes again, whatever
/// becomes of the identity or the database; and it tells nobody how much is written. It has 53 bits, which every reader of JSON
/// keeps (RFC 8259 section 6).
///
/// # Errors
/// Internal when there are no random bytes.
pub fn new_relationship_revision(entropy: &dyn Entropy) -> Result<i64, Error> {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes)?;
    Ok(i64::from_be_bytes(bytes) & ((1 << 53) - 1))
}

/// How an identity proves itself. The stored form is this type as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Relationship {
    /// By a token of an OIDC issuer whose claims match.
    ClaimMatch(ClaimMatch),
    /// By a token signed with one of these pasted keys.
    StaticKeys(StaticKeys),
    /// By a signed request to the AWS security token service.
    AwsIdentity(AwsIdentity),
    /// As a part of the platform itself.
    ServicePrincipal {
        /** Which part. */
        principal: ServicePrincipal,
    },
}

/// The kinds of [`Relationship`], for filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "they are the variants of Relationship")]
pub enum RelationshipType {
    ClaimMatch,
    StaticKeys,
    AwsIdentity,
    ServicePrincipal,
}

/// What the claims of an upstream token must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimMatch {
    /// The `iss` claim.
    pub issuer: Matcher,
    /// The `sub` claim.
    pub subject: Matcher,
    /// One of the `aud` claim's values; absent means this server's issuer URL or its hostname.
    pub audience: Option<Matcher>,
    /// Custom claims that must equal these texts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub claims: BTreeMap<String, String>,
    /// Custom claims that must match these patterns as a whole.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub claim_patterns: BTreeMap<String, String>,
}

/// A literal text or a pattern for it. Patterns are RE2 syntax and must match the whole value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matcher {
    /// This text exactly.
    Literal(String),
    /// Any text that this pattern matches as a whole.
    Pattern(String),
}

/// Keys that were pasted instead of fetched: for issuers that this server cannot reach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaticKeys {
    /// The `iss` claim, exactly.
    pub issuer: String,
    /// The `sub` claim, exactly.
    pub subject: String,
    /// A JSON Web Key Set (RFC 7517) as it was pasted.
    pub issuer_keys: String,
    /// When the keys stop being accepted.
    pub expires_at: Timestamp,
    /// The one audience that replaces the default one; empty for the default.
    pub audiences: Vec<String>,
}

/// An AWS principal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwsIdentity {
    /// The account: 12 digits.
    pub account: String,
    /// The principal's ARN.
    pub arn: Matcher,
    /// The principal's unique id.
    pub user_id: Matcher,
}

/// The parts of the platform that have identities of their own; numbers are those of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServicePrincipal(pub i32);

impl Relationship {
    /// The kind of relationship.
    #[must_use]
    pub fn kind(&self) -> RelationshipType {
        match self {
            Self::ClaimMatch(_) => RelationshipType::ClaimMatch,
            Self::StaticKeys(_) => RelationshipType::StaticKeys,
            Self::AwsIdentity(_) => RelationshipType::AwsIdentity,
            Self::ServicePrincipal { .. } => RelationshipType::ServicePrincipal,
        }
    }

    /// The part of the platform that the identity is, if it is one.
    #[must_use]
    pub fn service_principal(&self) -> Option<ServicePrincipal> {
        match self {
            Self::ServicePrincipal { principal } => Some(*principal),
            Self::ClaimMatch(_) | Self::StaticKeys(_) | Self::AwsIdentity(_) => None,
        }
    }

    /// The issuer that the identity's tokens come from, as text: a literal or the pattern.
    #[must_use]
    pub fn issuer(&self) -> Option<&str> {
        match self {
            Self::ClaimMatch(rule) => Some(rule.issuer.text()),
            Self::StaticKeys(keys) => Some(&keys.issuer),
            Self::AwsIdentity(_) | Self::ServicePrincipal { .. } => None,
        }
    }

    /// The subject of the identity's tokens, as text: a literal or the pattern.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::ClaimMatch(rule) => Some(rule.subject.text()),
            Self::StaticKeys(keys) => Some(&keys.subject),
            Self::AwsIdentity(_) | Self::ServicePrincipal { .. } => None,
        }
    }
}

impl RelationshipType {
    /// The stored form; equals the tag of the stored [`Relationship`].
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaimMatch => "claim_match",
            Self::StaticKeys => "static_keys",
            Self::AwsIdentity => "aws_identity",
            Self::ServicePrincipal => "service_principal",
        }
    }
}

impl Matcher {
    /// The literal or the pattern.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Literal(text) | Self::Pattern(text) => text,
        }
    }
}

/// The identifier of the user that `issuer` calls `subject`, whether or not that user exists here yet.
///
/// The first 20 bytes of a SHA-256, so that nobody can make two users meet. The separator cannot occur in an issuer
/// URL, so no two pairs give one input.
#[must_use]
pub fn user_uid(issuer: &str, subject: &str) -> Uidp {
    let digest = digest::digest(&digest::SHA256, format!("provost/identity/{issuer}\n{subject}").as_bytes());
    let mut bytes = [0; 20];
    bytes.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
    Uidp::root_from(bytes)
}

/// The reserved identity that operators of the server act as. It is never stored, listed or bound.
#[must_use]
pub fn operator_uid() -> Uidp {
    user_uid("provost:operators", "root")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_uids_are_stable_and_depend_on_both_parts() {
        assert_eq!(user_uid("https://a", "b"), user_uid("https://a", "b"));
        assert_ne!(user_uid("https://a", "b"), user_uid("https://a", "c"));
        assert_ne!(user_uid("https://a", "b"), user_uid("https://b", "b"));
        assert!(user_uid("https://a", "b").is_root());
    }

    #[test]
    fn the_stored_form_is_stable() {
        let rule = ClaimMatch {
            issuer: Matcher::Literal("https://issuer.example".into()),
            subject: Matcher::Pattern("repo:.*".into()),
            audience: None,
            claims: BTreeMap::new(),
            claim_patterns: BTreeMap::new(),
        };
        let stored = serde_json::to_string(&Relationship::ClaimMatch(rule.clone())).unwrap_or_default();
        assert_eq!(
            stored,
            r#"{"type":"claim_match","issuer":{"literal":"https://issuer.example"},"subject":{"pattern":"repo:.*"},"audience":null}"#
        );
        assert_eq!(serde_json::from_str::<Relationship>(&stored).ok(), Some(Relationship::ClaimMatch(rule)));
    }
}
