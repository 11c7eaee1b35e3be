//! Judging the tokens of API calls against the current state.

mod known;

use std::sync::Arc;

use async_trait::async_trait;
use aws_lc_rs::digest;
use domain::{
    Caller, Error, Grants, LentSecret, Narrowing, Rule, Timestamp,
    ports::{Authenticate, Fitness, Ready},
};
use prometheus_client::{
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};

use self::known::{Kept, Known, KnownTokens};
use crate::{current::Held, token::Tokens};

/// Judges API tokens: signature, times, audience, and that the identity still is what it was when the token was made. What
/// cannot change about a token is judged once.
#[derive(Clone, Debug)]
pub struct Authenticator {
    tokens: Tokens,
    audience: String,
    known: Arc<KnownTokens>,
    /// What operators hold.
    everything: Arc<Grants>,
    /// By outcome.
    verifications: Family<[(&'static str, &'static str); 1], Counter>,
    verified: Counter,
}

impl Authenticator {
    /// Judges tokens for this API audience.
    #[must_use]
    pub fn new(tokens: Tokens, audience: impl Into<String>) -> Self {
        let verifications = Family::<[(&'static str, &'static str); 1], Counter>::default();
        let verified = verifications.get_or_create(&[("outcome", "OK")]).clone();
        let (known, everything) = (Arc::default(), Arc::new(Grants::everything()));
        Self { tokens, audience: audience.into(), known, everything, verifications, verified }
    }

    /// Adds what is counted here to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        let help = "API tokens that were judged, by outcome: OK, or the rule that refused them or could not be followed";
        registry.register("token_verifications", help, self.verifications.clone());
        self.known.register(registry);
        self.tokens.current().register(registry);
    }

    async fn judge(&self, bearer: LentSecret<'_>, now: Timestamp) -> Result<(Arc<Caller>, Arc<Grants>), Error> {
        let digest = digest::digest(&digest::SHA256, bearer.expose().as_bytes());
        let known = self.known.get(digest.as_ref());
        let is_new = known.is_none();
        let known = match known {
            Some(known) => known,
            // Boxed: most tokens are known, and their requests are the smaller for it.
            None => Arc::new(Box::pin(self.verify(bearer, now)).await?),
        };
        self.tokens.in_time(&known.caller, now)?;
        let held = self.tokens.still_good(&known.caller, &known.key_id, known.relationship_revision, now).await?;
        let (grants, kept) = self.kept(&known, held.as_deref());
        let caller = Arc::clone(&known.caller);
        if kept.is_some() {
            self.known.keep(digest.as_ref(), Arc::new(Known { kept, ..Known::clone(&known) }));
        } else if is_new {
            self.known.keep(digest.as_ref(), known);
        }
        Ok((caller, grants))
    }

    /// What does not change about the token.
    async fn verify(&self, bearer: LentSecret<'_>, now: Timestamp) -> Result<Known, Error> {
        let token = self.tokens.verify(bearer, now).await?;
        if !token.caller.audience.contains(&self.audience) {
            let message = format!("the token is not for this API; exchange for the audience {}", self.audience);
            return Err(Error::unauthenticated(Rule::TokenInvalid, message));
        }
        Ok(Known::new(token))
    }

    /// What the token keeps of what its identity holds, and that again when it was worked out just now.
    fn kept(&self, known: &Known, held: Option<&Held>) -> (Arc<Grants>, Option<Kept>) {
        let (number, grants) = held.map_or((0, &self.everything), |held| (held.number, &held.grants));
        if known.caller.narrowing == Narrowing::default() {
            return (Arc::clone(grants), None);
        }
        match &known.kept {
            Some(kept) if kept.of == number => (Arc::clone(&kept.grants), None),
            _ => {
                let grants = Arc::new(access::narrow(grants, &known.caller.narrowing));
                (Arc::clone(&grants), Some(Kept { of: number, grants }))
            }
        }
    }
}

#[async_trait]
impl Authenticate for Authenticator {
    async fn authenticate(&self, bearer: LentSecret<'_>, now: Timestamp) -> Result<(Arc<Caller>, Arc<Grants>), Error> {
        let judged = self.judge(bearer, now).await;
        match &judged {
            Ok(_) => self.verified.inc(),
            Err(error) => self.verifications.get_or_create(&[("outcome", error.rule().as_str())]).inc(),
        };
        judged
    }
}

/// Whether it can be found out what callers hold at this moment: a node that cannot refuses everybody. All who ask at the same
/// time share one question.
#[async_trait]
impl Ready for Authenticator {
    fn name(&self) -> &'static str {
        "rights"
    }

    async fn check(&self) -> Result<Fitness, Error> {
        self.tokens.current().confirm().await.map(|()| Fitness::Well)
    }
}
