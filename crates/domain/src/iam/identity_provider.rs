//! Identity providers: where the people of an organization log in.

use serde::{Deserialize, Serialize};

use super::scim::{self, Scim};
use crate::{
    revision::Revision,
    secret::Sealed,
    text::{Description, Name},
    time::Timestamp,
    uidp::Uidp,
};

/// An outside provider through which people log in to an organization. Events show it without its secret, the digests of its SCIM tokens
/// and its times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IdentityProvider {
    /// Its identifier; the parent is the organization.
    pub uid: Uidp,
    /// What callers may set.
    pub spec: IdentityProviderSpec,
    /// Its SCIM access; `None` before the first token.
    #[serde(serialize_with = "scim::without_digests")]
    pub scim: Option<Scim>,
    /// When it was made.
    #[serde(skip)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[serde(skip)]
    pub updated_at: Timestamp,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// What an event tells of a change of an identity provider's SCIM access.
#[derive(Debug, Serialize)]
pub struct ScimTold<'a> {
    /// The identity provider as it is now.
    pub provider: &'a IdentityProvider,
    /// For how many milliseconds the token before was to go on working, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_overlap: Option<i64>,
}

/// What callers may set of an identity provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IdentityProviderSpec {
    /// Need not be unique.
    pub name: Name,
    /// Free text, one line.
    pub description: Description,
    /// The role that everybody who logs in through it gets at the organization.
    pub default_role: Uidp,
    /// How it is reached.
    pub oidc: Oidc,
}

/// How people log in through `OpenID` Connect. The stored form is this type as JSON, and the secret beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Oidc {
    /// The issuer URL of the provider.
    pub issuer: String,
    /// Under which name the provider knows this server (RFC 6749 section 2.2).
    pub client_id: String,
    /// What proves that it is this server; `None` where PKCE alone protects the login.
    #[serde(skip)]
    pub client_secret: Option<Sealed>,
    /// What to ask for beside what every login asks for; order is kept (RFC 6749 section 3.3).
    pub additional_scopes: Vec<String>,
    /// The claim that lists somebody's outside groups; empty where nobody looks at groups.
    pub groups_claim: String,
    /// How people are found among provisioned users.
    pub correlation_rule: CorrelationRule,
    /// Whether logins are bound to who has begun them by PKCE (RFC 7636).
    pub pkce_enabled: bool,
}

/// Which claim of a person is the `externalId` of the provisioned user. Never changes after creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CorrelationRule {
    /// Not said, which means the `sub` claim.
    #[default]
    Unspecified,
    /// The `sub` claim.
    SubEqualsExternalId,
    /// The `oid` claim.
    OidEqualsExternalId,
}

impl CorrelationRule {
    /// Whether both say the same, in the same words or not.
    #[must_use]
    pub fn means(self, other: Self) -> bool {
        let is_oid = |rule| rule == Self::OidEqualsExternalId;
        is_oid(self) == is_oid(other)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::scim::{PreviousToken, ScimDigest},
        *,
    };

    fn provider() -> IdentityProvider {
        IdentityProvider {
            uid: Uidp::root_from([1; 20]).child([2; 8]),
            spec: IdentityProviderSpec {
                name: Name::trusted("login"),
                description: Description::default(),
                default_role: Uidp::root_from([3; 20]),
                oidc: Oidc {
                    issuer: "https://login.example.com".to_owned(),
                    client_id: "provost".to_owned(),
                    client_secret: Some(Sealed::trusted("c2VhbGVk")),
                    additional_scopes: vec!["groups".to_owned(), "email".to_owned()],
                    groups_claim: "groups".to_owned(),
                    correlation_rule: CorrelationRule::OidEqualsExternalId,
                    pkce_enabled: true,
                },
            },
            scim: Some(Scim {
                enabled: true,
                token: ScimDigest::of("cgscim_1"),
                expires_at: Some(Timestamp(90)),
                previous: Some(PreviousToken { token: ScimDigest::of("cgscim_0"), ends_at: Timestamp(80) }),
                revoked_at: None,
                revision: Revision(5),
            }),
            created_at: Timestamp(7),
            updated_at: Timestamp(8),
            revision: Revision(9),
        }
    }

    #[test]
    fn events_show_neither_secrets_nor_times() {
        let shown = serde_json::to_string(&provider()).unwrap_or_default();
        let oidc = r#"{"issuer":"https://login.example.com","client_id":"provost","additional_scopes":["groups","email"],"groups_claim":"groups","correlation_rule":"oid_equals_external_id","pkce_enabled":true}"#;
        let spec = format!(r#"{{"name":"login","description":"","default_role":"{}","oidc":{oidc}}}"#, Uidp::root_from([3; 20]));
        let scim = r#"{"enabled":true,"expires_at":90,"previous_ends_at":80,"revoked_at":null,"revision":5}"#;
        assert_eq!(shown, format!(r#"{{"uid":"{}","spec":{spec},"scim":{scim},"revision":9}}"#, provider().uid));
    }

    #[test]
    fn nothing_prints_the_secret() {
        assert!(!format!("{:?}", provider()).contains("c2VhbGVk"));
    }

    #[test]
    fn unspecified_rules_mean_the_subject() {
        use CorrelationRule::{OidEqualsExternalId, SubEqualsExternalId, Unspecified};
        assert!(Unspecified.means(SubEqualsExternalId) && SubEqualsExternalId.means(Unspecified));
        assert!(OidEqualsExternalId.means(OidEqualsExternalId));
        assert!(!Unspecified.means(OidEqualsExternalId) && !OidEqualsExternalId.means(SubEqualsExternalId));
    }
}
