//! Judging the tokens of API calls against the current state.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Caller, Error, Grants, Rule, Secret, Timestamp, ports::Authenticate};
use prometheus_client::{
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};
use store::{
    Reader, Store,
    iam::{identities, role_bindings},
};

use crate::token::{OwnToken, Tokens};

/// Judges API tokens: signature, times, audience, and that the identity still is what it was when the token was made.
#[derive(Clone, Debug)]
pub struct Authenticator {
    store: Store,
    tokens: Tokens,
    audience: String,
    /// By outcome.
    verifications: Family<[(&'static str, &'static str); 1], Counter>,
}

impl Authenticator {
    /// Judges tokens for this API audience.
    #[must_use]
    pub fn new(store: Store, tokens: Tokens, audience: impl Into<String>) -> Self {
        Self { store, tokens, audience: audience.into(), verifications: Family::default() }
    }

    /// Adds what is counted here to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        let help = "API tokens that were judged, by outcome: OK, or the rule that refused them or could not be followed";
        registry.register("token_verifications", help, self.verifications.clone());
    }

    async fn judge(&self, bearer: &Secret<String>, now: Timestamp) -> Result<(Arc<Caller>, Arc<Grants>), Error> {
        let token = self.tokens.verify(bearer, now).await?;
        if !token.caller.audience.contains(&self.audience) {
            let message = format!("the token is not for this API; exchange for the audience {}", self.audience);
            return Err(Error::unauthenticated(Rule::TokenInvalid, message));
        }
        if token.caller.operator {
            let grants = access::narrow(&Grants::everything(), &token.caller.narrowing);
            return Ok((Arc::new(token.caller), Arc::new(grants)));
        }
        let mut reader = self.store.reader().await?;
        refuse_revoked(&mut reader, &token).await?;
        let grants = role_bindings::grants_of(&mut reader, &token.caller.identity).await?;
        let grants = access::narrow(&grants.into_iter().collect(), &token.caller.narrowing);
        Ok((Arc::new(token.caller), Arc::new(grants)))
    }
}

#[async_trait]
impl Authenticate for Authenticator {
    async fn authenticate(&self, bearer: &Secret<String>, now: Timestamp) -> Result<(Arc<Caller>, Arc<Grants>), Error> {
        let judged = self.judge(bearer, now).await;
        let outcome = judged.as_ref().map_or_else(|error| error.rule().as_str(), |_| "OK");
        self.verifications.get_or_create(&[("outcome", outcome)]).inc();
        judged
    }
}

/// Refuses a token whose identity is gone or proves itself in another way by now (invariant 7).
pub(crate) async fn refuse_revoked(reader: &mut Reader, token: &OwnToken) -> Result<(), Error> {
    if token.caller.operator {
        return Ok(());
    }
    let what = match identities::relationship_revision(reader, &token.caller.identity).await? {
        Some(revision) if revision == token.relationship_revision => return Ok(()),
        Some(_) => "the token's identity changed after it was made; log in or exchange again",
        None => "the token's identity was deleted",
    };
    Err(Error::unauthenticated(Rule::TokenRevoked, what))
}
