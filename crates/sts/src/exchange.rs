//! The exchange: an upstream token in, one of ours out (in the spirit of RFC 8693).
//!
//! The order is what keeps it safe: the identity is loaded first, an issuer is asked for keys only if that identity names it, and
//! patterns are compiled only for tokens that their issuer has signed.

mod aws;
mod compiled;
mod facts;
mod narrow;
mod refresh;
mod registrant;
mod remembered;
mod request;
mod upstream;

use std::sync::Arc;

use domain::{
    Ctx, Error, Narrowing, Rule, Secret, Timestamp, Uidp, Upstream,
    iam::{Identity, identity::Relationship},
};
use prometheus_client::{
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};
use store::{AuditEntry, Later, Store, rows};

pub use request::ExchangeRequest;

use self::{
    compiled::{CompiledCache, Ready},
    facts::Facts,
    narrow::{Given, narrow},
    registrant::bearer,
    request::Wish,
    upstream::Judged,
};
use crate::{
    IssuedRefreshToken, Sessions, Settings, Workers,
    aws::AwsSts,
    claims::{Accepted, Compiled, Mismatch, admit_by_literals},
    issuers::{Issuers, SystemResolver},
    jws::{Jwks, JwsError, Unverified, Verified},
    sessions::Login,
    token::{IssuedToken, OwnToken, Subject, Tokens, invalid},
    workers::Party,
};

/// Exchanges tokens. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Exchange {
    store: Store,
    tokens: Tokens,
    sessions: Sessions,
    issuers: Issuers,
    aws: AwsSts,
    settings: Arc<Settings>,
    compiled: CompiledCache,
    default_audiences: Arc<[String]>,
    /// By outcome and by where the keys that verified the token came from.
    exchanges: Family<[(&'static str, &'static str); 2], Counter>,
    signatures: Counter,
}

/// What comes of an exchange.
#[derive(Clone, Debug)]
pub struct Granted {
    /// The access token.
    pub token: IssuedToken,
    /// What renews the session, for users who have one.
    pub refresh_token: Option<IssuedRefreshToken>,
    identity: Uidp,
    upstream: Option<Upstream>,
}

impl Exchange {
    /// Exchanges for tokens made by `tokens`, asking other issuers through `issuers`; users begin one of the `sessions`. What may take long
    /// is done by `workers`.
    #[must_use]
    pub fn new(
        store: Store,
        tokens: Tokens,
        sessions: Sessions,
        issuers: Issuers,
        settings: Arc<Settings>,
        workers: Workers,
    ) -> Self {
        let compiled = CompiledCache::new(&settings, workers);
        let default_audiences = settings.default_audiences().into();
        let aws = AwsSts::new(&settings, Arc::new(SystemResolver));
        let (exchanges, signatures) = (Family::default(), Counter::default());
        Self { store, tokens, sessions, issuers, aws, settings, compiled, default_audiences, exchanges, signatures }
    }

    /// Adds what is counted here and about other issuers to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        let help = "Token exchanges by outcome (OK, or the rule that refused) and by where the keys for the token came from: \
                    static, cached, fetched, stale, own, aws when AWS was asked, session when it was a refresh token, or none when it \
                    did not come to that";
        registry.register("exchanges", help, self.exchanges.clone());
        let help = "Signatures of the tokens of others that were checked";
        registry.register("exchange_signature_checks", help, self.signatures.clone());
        self.compiled.register(registry);
        self.sessions.register(registry);
        self.issuers.register(registry);
        self.aws.register(registry);
    }

    /// A token of ours for the bearer token of the call. A user who names no identity begins a session, unless it cannot be written.
    ///
    /// # Errors
    /// Unauthenticated when the bearer token is none, altered or expired; permission denied when no identity accepts it, naming
    /// the claim, or when its issuer may not be used; not found when nobody is registered for it; invalid argument when the
    /// request asks for what does not exist; unavailable when its issuer is down.
    pub async fn exchange(&self, ctx: &Ctx, request: ExchangeRequest) -> Result<Granted, Error> {
        let mut facts = Facts::default();
        let outcome = self.run(ctx, request, &mut facts).await;
        self.conclude(ctx, facts, outcome)
    }

    /// Counts an exchange, and tells of it in the log and, when it was granted, in the audit log.
    fn conclude(&self, ctx: &Ctx, facts: Facts, outcome: Result<Granted, Error>) -> Result<Granted, Error> {
        let result = outcome.as_ref().map_or_else(|error| error.rule().as_str(), |_| "OK");
        self.exchanges.get_or_create(&[("outcome", result), ("keys_from", facts.keys_from.unwrap_or("none"))]).inc();
        facts.report(ctx, outcome.as_ref());
        let granted = outcome?;
        let identity = &granted.identity;
        if *identity != domain::iam::identity::operator_uid() {
            self.store.later(Later::Seen { identity: identity.clone(), at: ctx.now });
        }
        self.store.later(Later::Audit(Box::new(AuditEntry {
            actor: identity.to_string(),
            upstream: granted.upstream.clone(),
            token_id: Some(granted.token.token_id.clone()),
            noun: Some(domain::Noun::Identity),
            subject: Some(identity.to_string()),
            ..AuditEntry::of(ctx)
        })));
        Ok(granted)
    }

    async fn run(&self, ctx: &Ctx, request: ExchangeRequest, facts: &mut Facts) -> Result<Granted, Error> {
        let bearer = bearer(ctx, "the exchange needs the token of your identity provider as bearer token")?;
        facts.token(bearer);
        let wish = Wish::read(request, &self.settings)?;
        facts.wish(&wish);
        let token = Unverified::parse(bearer.expose());
        if let Ok(token) = &token {
            facts.unverified(token);
            if token.issuer() == self.settings.auth_url {
                return self.narrow(ctx, bearer, wish, facts).await;
            }
        }
        let subject = match (&wish.identity, token) {
            (Some(uid), Ok(token)) => self.targeted(ctx, uid, token, &wish, facts).await?,
            (Some(uid), Err(other)) => self.aws(ctx, uid, bearer, other, &wish, facts).await?,
            (None, token) => {
                let (subject, login) = self.untargeted(ctx, token.map_err(invalid)?, &wish, facts).await?;
                let granted = self.mint(ctx, subject.clone(), facts).await?;
                let refresh_token = self.sessions.start(ctx, &granted.token, subject, login).await;
                facts.session = refresh_token.as_ref().map(|_| granted.token.token_id.clone());
                return Ok(Granted { refresh_token, ..granted });
            }
        };
        self.mint(ctx, subject, facts).await
    }

    /// For a named identity: whatever its relationship says.
    async fn targeted(
        &self,
        ctx: &Ctx,
        uid: &Uidp,
        token: Unverified<'_>,
        wish: &Wish,
        facts: &mut Facts,
    ) -> Result<Subject, Error> {
        let identity = rows::get::<Identity>(&mut self.store.reader().await?, uid).await?;
        let rule = match &identity {
            Some(identity) => self.compiled.admitting(identity, token.issuer(), Party::stranger(ctx.peer)).await?,
            None => None,
        };
        let (identity, rule) = identity.zip(rule).unzip();
        let keys = match &rule {
            None => None,
            Some(Ready::Whole(Compiled::StaticKeys(keys))) => {
                facts.keys_from = Some("static");
                Some(keys.keys())
            }
            Some(_) => {
                let found = self.issuers.keys(&token, ctx.now).await?;
                facts.keys_from = Some(found.from);
                Some(found.keys)
            }
        };
        let verified = self.verify(token, keys.as_deref(), facts);
        // One answer and the same work, so that nobody learns by guessing which identities exist, and whom they accept (ADR 23).
        let (Some(identity), Some(rule), Ok(verified)) = (identity, rule, verified) else {
            return Err(nobody(uid, UNSIGNED, facts));
        };
        if let Ready::Whole(Compiled::StaticKeys(keys)) = &rule
            && keys.have_expired(ctx.now)
        {
            let message = format!("the static keys of identity {uid} have expired; an administrator has to renew them");
            return Err(Error::denied(Rule::ClaimMismatch, message));
        }
        let judged = self.judge(verified, ctx.now, facts)?;
        let accepted = self.accept(&identity, rule, &judged, &self.default_audiences, facts).await?;
        Ok(subject(ctx, &self.settings, &identity, judged, accepted, wish))
    }

    /// For whoever the token is of, if its issuer is a login provider.
    async fn untargeted(
        &self,
        ctx: &Ctx,
        token: Unverified<'_>,
        wish: &Wish,
        facts: &mut Facts,
    ) -> Result<(Subject, Login), Error> {
        let person = self.person(ctx, token, "name the identity to assume in `identity`", facts).await?;
        let user = &person.uid;
        let identity = rows::get::<Identity>(&mut self.store.reader().await?, user).await?.ok_or_else(|| {
            let message = format!(
                "no user is registered for this token, whose identity would be {user}; register it, ask an administrator to create it, or \
                 name the identity to assume in `identity`"
            );
            Error::new(domain::Kind::NotFound, Rule::NoSuchResource, message)
                .with(domain::error::Detail::Resource { noun: domain::Noun::Identity, uid: user.to_string() })
        })?;
        let rule = self.compiled.whole(&identity).await?;
        let audiences = person.default_audiences(&self.default_audiences);
        let accepted = self.accept(&identity, rule, &person.judged, audiences, facts).await?;
        Ok((subject(ctx, &self.settings, &identity, person.judged, accepted, wish), person.login))
    }

    /// For one of our own tokens: the same identity, and less.
    async fn narrow(&self, ctx: &Ctx, bearer: &Secret<String>, wish: Wish, facts: &mut Facts) -> Result<Granted, Error> {
        let own = self.tokens.verify(bearer.lend(), ctx.now).await?;
        facts.keys_from = Some("own");
        self.tokens.still_good(&own.caller, &own.key_id, own.relationship_revision, ctx.now).await?;
        let OwnToken { caller, relationship_revision, .. } = own;
        let given = Given { audiences: caller.audience, narrowing: caller.narrowing };
        let less = narrow(&caller.identity, given, wish).map_err(|beyond| {
            beyond.of("one of this server's own tokens", "exchange the token of your identity provider instead")
        })?;
        let expires_at = lifetime_end(&self.settings, ctx.now).min(caller.expires_at);
        let subject = Subject {
            identity: caller.identity,
            relationship_revision,
            audience: less.audiences,
            upstream: caller.upstream,
            email: caller.email,
            narrowing: less.narrowing,
            expires_at,
        };
        self.mint(ctx, subject, facts).await
    }

    /// Checks the token's signature, once even where there is no key for it.
    fn verify(&self, token: Unverified<'_>, keys: Option<&Jwks>, facts: &mut Facts) -> Result<Verified, JwsError> {
        let mut tried = 0;
        let verified = token.verify_or_try(keys, &mut tried);
        self.signatures.inc_by(tried);
        verified.inspect_err(|why| facts.unsigned(*why))
    }

    fn judge(&self, verified: Verified, now: Timestamp, facts: &mut Facts) -> Result<Judged, Error> {
        facts.verified(&verified);
        Judged::new(verified, now, self.settings.limits.leeway)
    }

    /// Matches the claims by the identity's rule, of which so much is ready; the error names the identity and the claim, and no
    /// value.
    async fn accept(
        &self,
        identity: &Identity,
        rule: Ready,
        judged: &Judged,
        audiences: &[String],
        facts: &mut Facts,
    ) -> Result<Accepted, Error> {
        let mut refuse = |mismatch: Mismatch| {
            facts.mismatch(&mismatch.0);
            let message = format!("identity {} does not accept this token: {mismatch}", identity.uid);
            Error::denied(Rule::ClaimMismatch, message)
        };
        let rule = match (rule, &identity.spec.relationship) {
            (Ready::Issuer(_), Relationship::ClaimMatch(rule)) => {
                admit_by_literals(rule, judged.claims(), audiences).map_err(&mut refuse)?;
                self.compiled.whole(identity).await?
            }
            (rule, _) => rule,
        };
        self.compiled.admit(identity, rule, judged.claims(), audiences).await?.map_err(refuse)
    }

    async fn mint(&self, ctx: &Ctx, subject: Subject, facts: &mut Facts) -> Result<Granted, Error> {
        let (identity, upstream) = (subject.identity.clone(), subject.upstream.clone());
        facts.identity = Some(identity.to_string());
        let token = self.tokens.mint(subject, ctx).await?;
        Ok(Granted { token, refresh_token: None, identity, upstream })
    }
}

/// What is wrong with a token that no issuer has signed whom this identity accepts.
const UNSIGNED: &str = "no issuer that it accepts has signed this token";

/// That the identity does not exist, or does not take anything of whoever has signed what was sent.
fn nobody(uid: &Uidp, otherwise: &str, facts: &mut Facts) -> Error {
    facts.mismatch("iss");
    let mismatch = Mismatch("iss".to_owned());
    Error::denied(Rule::ClaimMismatch, format!("identity {uid} does not exist, or {otherwise}: {mismatch}"))
}

fn lifetime_end(settings: &Settings, now: Timestamp) -> Timestamp {
    now.plus_seconds(i64::try_from(settings.limits.token_lifetime.as_secs()).unwrap_or(0))
}

fn subject(ctx: &Ctx, settings: &Settings, identity: &Identity, judged: Judged, accepted: Accepted, wish: &Wish) -> Subject {
    let email = judged.email();
    Subject {
        identity: identity.uid.clone(),
        relationship_revision: identity.relationship_revision,
        audience: wish.audiences.clone().unwrap_or_else(|| vec![settings.base_url.clone()]),
        upstream: Some(Upstream::new(judged.into_issuer(), accepted.subject, accepted.audience)),
        email,
        narrowing: Narrowing { scopes: wish.scopes.clone(), capabilities: wish.capabilities },
        expires_at: lifetime_end(settings, ctx.now),
    }
}
