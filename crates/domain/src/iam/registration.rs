//! Registrations: people become users by themselves, with the token of a login provider.

use serde::Serialize;

use crate::{
    iam::{ClaimMatch, Matcher, Relationship, identity::user_uid},
    time::Timestamp,
    uidp::Uidp,
};

/// Who wants to register, as a token says that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registrant {
    /// The issuer of the token.
    pub issuer: String,
    /// What the issuer calls the person.
    pub subject: String,
    /// For whom the token is, of those that are accepted.
    pub audience: String,
    /// Whose login provider the issuer is.
    pub provider: LoginProvider,
    /// The address in the token.
    pub email: Option<RegistrantEmail>,
    /// When the token was made; when it arrived, where it does not say.
    pub issued_at: Timestamp,
    /// When the token ends.
    pub expires_at: Timestamp,
    /// How often the relationship of the user has changed whom the token was found to be of; `None` where there was none.
    pub known: Option<i64>,
}

/// Whose login provider the issuer of a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginProvider {
    /// The server's, by its settings: it is believed by everybody.
    Configured,
    /// Some organization's, by an identity provider for the audience of the token. It may say of anybody whatever it likes, and is believed
    /// by organizations that have such a one alone.
    Organization,
}

/// The address of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistrantEmail {
    /// The address.
    pub address: String,
    /// Whether the issuer says that it has verified it.
    pub is_verified: bool,
}

/// What a registration led to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Session {
    /// The user.
    pub identity: Uidp,
    /// The group that was joined; `None` without an invite.
    pub group: Option<Uidp>,
}

impl Registrant {
    /// The identifier that the person has as a user.
    #[must_use]
    pub fn uid(&self) -> Uidp {
        user_uid(&self.issuer, &self.subject)
    }

    /// How the user that is made proves who they are. Tokens of an organization's provider are for one of its clients: another
    /// organization may name the same issuer, and gets tokens of it for clients of its own.
    #[must_use]
    pub fn relationship(&self) -> Relationship {
        let audience = match &self.provider {
            LoginProvider::Configured => None,
            LoginProvider::Organization => Some(Matcher::Literal(self.audience.clone())),
        };
        Relationship::ClaimMatch(ClaimMatch {
            issuer: Matcher::Literal(self.issuer.clone()),
            subject: Matcher::Literal(self.subject.clone()),
            audience,
            claims: [].into(),
            claim_patterns: [].into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registrant(provider: LoginProvider) -> Registrant {
        Registrant {
            issuer: "https://login.example".into(),
            subject: "ana".into(),
            audience: "client".into(),
            provider,
            email: None,
            issued_at: Timestamp(1),
            expires_at: Timestamp(2),
            known: None,
        }
    }

    #[test]
    fn tokens_of_another_client_are_of_somebody_else() {
        let audience = |provider| match registrant(provider).relationship() {
            Relationship::ClaimMatch(rule) => rule.audience,
            other => panic!("{other:?}"),
        };
        assert_eq!(audience(LoginProvider::Configured), None);
        assert_eq!(audience(LoginProvider::Organization), Some(Matcher::Literal("client".into())));
    }
}
