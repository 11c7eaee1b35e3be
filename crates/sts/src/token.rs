//! Our own tokens: what they say, minting them, and judging them.

use std::{sync::Arc, time::Duration};

use domain::{
    Caller, CapabilitySet, Ctx, Error, LentSecret, Narrowing, Rule, Secret, Timestamp, Uidp, Upstream,
    iam::identity::operator_uid,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Settings,
    current::{Current, Held},
    jws::{JwsError, MAX_TOKEN, Unverified},
    keys::SigningKeys,
};

/// The audience of webhooks' tokens, which receivers look for.
const WEBHOOK_AUDIENCE: &str = "customer";

/// Makes and judges our own tokens. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Tokens {
    settings: Arc<Settings>,
    current: Current,
}

/// A token that we made.
#[derive(Clone, Debug)]
pub struct IssuedToken {
    /// The token.
    pub token: Secret<String>,
    /// Its `exp`.
    pub expires_at: Timestamp,
    /// Its `jti`.
    pub token_id: String,
}

/// What a new token is to say.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) identity: Uidp,
    pub(crate) relationship_revision: i64,
    pub(crate) audience: Vec<String>,
    pub(crate) upstream: Option<Upstream>,
    pub(crate) email: Option<String>,
    pub(crate) narrowing: Narrowing,
    pub(crate) expires_at: Timestamp,
}

/// One of our tokens, verified: signature, issuer and times, not the audience and not that its identity still is what it was.
#[derive(Clone, Debug)]
pub(crate) struct OwnToken {
    pub(crate) caller: Caller,
    /// The `kid` of the key that has signed it.
    pub(crate) key_id: String,
    pub(crate) relationship_revision: i64,
}

/// The claims of RFC 7519 section 4.1 and RFC 8693 section 4.1, and one of our own.
#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    sub: Uidp,
    aud: Audience,
    iat: i64,
    exp: i64,
    jti: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    act: Option<Upstream>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    provost: Own,
}

/// The claims of a token for others that believe this issuer.
#[derive(Serialize)]
struct ClaimsForOthers<'a> {
    iss: &'a str,
    sub: &'a str,
    aud: &'a str,
    iat: i64,
    exp: i64,
    jti: &'a str,
}

/// The claims of the token of a webhook.
#[derive(Serialize)]
struct WebhookClaims<'a> {
    iss: &'a str,
    sub: &'a str,
    aud: &'a str,
    iat: i64,
    exp: i64,
    jti: &'a str,
    webhook: WebhookClaim<'a>,
}

/// What a webhook's token vouches for.
#[derive(Serialize)]
struct WebhookClaim<'a> {
    digest: &'a str,
}

/// What only this server reads.
#[derive(Serialize, Deserialize)]
struct Own {
    /// The revision of the identity's relationship.
    rev: i64,
    /// The groups that the token keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scopes: Option<Vec<Uidp>>,
    /// The capabilities that the token keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    caps: Option<CapabilitySet>,
}

/// One audience is written as a text: published clients read both forms, other verifiers prefer this one.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

impl Tokens {
    /// Tokens signed with `keys` under these settings. Must be called inside a tokio runtime.
    #[must_use]
    pub fn new(settings: Arc<Settings>, keys: SigningKeys) -> Self {
        Self { settings, current: Current::new(keys) }
    }

    /// What is remembered to judge them.
    pub(crate) fn current(&self) -> &Current {
        &self.current
    }

    /// Makes a token.
    ///
    /// # Errors
    /// Invalid argument when the narrowing makes it larger than [`MAX_TOKEN`]; unavailable when it cannot be found out
    /// which key signs.
    pub(crate) async fn mint(&self, subject: Subject, ctx: &Ctx) -> Result<IssuedToken, Error> {
        let token_id = token_id(ctx)?;
        let aud = match <[String; 1]>::try_from(subject.audience) {
            Ok([audience]) => Audience::One(audience),
            Err(audiences) => Audience::Many(audiences),
        };
        let claims = Claims {
            iss: self.settings.auth_url.clone(),
            sub: subject.identity,
            aud,
            iat: ctx.now.seconds(),
            exp: subject.expires_at.seconds(),
            jti: token_id.clone(),
            act: subject.upstream,
            email: subject.email,
            provost: Own {
                rev: subject.relationship_revision,
                scopes: subject.narrowing.scopes,
                caps: subject.narrowing.capabilities,
            },
        };
        // A key that another node has removed signs nothing that anybody believes.
        self.current.confirm().await?;
        let token = self.current.keys().sign(&claims, ctx.now).await?;
        if token.expose().len() > MAX_TOKEN {
            return Err(Error::field(
                "scopes",
                format!("scopes make the token larger than {MAX_TOKEN} bytes; ask for fewer groups"),
            ));
        }
        Ok(IssuedToken { token, expires_at: Timestamp::from_seconds(subject.expires_at.seconds()), token_id })
    }

    /// Makes a token for others that believe this issuer. It is worth nothing here: its subject is no identity, and it lacks what
    /// only this server reads.
    ///
    /// # Errors
    /// Unavailable when it cannot be found out which key signs.
    pub(crate) async fn mint_for_others(
        &self,
        subject: &str,
        audience: &str,
        lifetime: Duration,
        ctx: &Ctx,
    ) -> Result<Secret<String>, Error> {
        let token_id = token_id(ctx)?;
        let seconds = i64::try_from(lifetime.as_secs()).unwrap_or(0);
        let claims = ClaimsForOthers {
            iss: &self.settings.auth_url,
            sub: subject,
            aud: audience,
            iat: ctx.now.seconds(),
            exp: ctx.now.seconds().saturating_add(seconds),
            jti: &token_id,
        };
        self.current.confirm().await?;
        self.current.keys().sign(&claims, ctx.now).await
    }

    /// Makes the token of a webhook: it vouches for a body with that digest, to whoever believes this issuer, and is worth nothing
    /// here.
    ///
    /// # Errors
    /// Unavailable when it cannot be found out which key signs.
    pub(crate) async fn mint_webhook(
        &self,
        subject: &str,
        digest: &str,
        token_id: &str,
        lifetime: Duration,
        now: Timestamp,
    ) -> Result<Secret<String>, Error> {
        let seconds = i64::try_from(lifetime.as_secs()).unwrap_or(0);
        let claims = WebhookClaims {
            iss: &self.settings.auth_url,
            sub: subject,
            aud: WEBHOOK_AUDIENCE,
            iat: now.seconds(),
            exp: now.seconds().saturating_add(seconds),
            jti: token_id,
            webhook: WebhookClaim { digest },
        };
        self.current.confirm().await?;
        self.current.keys().sign(&claims, now).await
    }

    /// Judges one of our tokens.
    ///
    /// # Errors
    /// Unauthenticated when it is not ours, altered, of another kind or expired.
    pub(crate) async fn verify(&self, bearer: LentSecret<'_>, now: Timestamp) -> Result<OwnToken, Error> {
        let text = bearer.expose();
        if text.is_empty() {
            return Err(Error::unauthenticated(Rule::TokenMissing, "this call needs a bearer token"));
        }
        let unverified = Unverified::parse(text).map_err(invalid)?;
        if unverified.issuer() != self.settings.auth_url {
            return Err(Error::unauthenticated(
                Rule::TokenInvalid,
                "the token is not one of this server's; exchange it at /sts/exchange first",
            ));
        }
        let key_id = unverified.key_id().ok_or_else(|| invalid(JwsError::UnknownKey))?.to_owned();
        let keys = self.current.keys().verifier(&key_id, now).await.ok_or_else(|| invalid(JwsError::UnknownKey))?;
        let verified = unverified.verify(&keys).map_err(invalid)?;
        if verified.kind.as_deref() != Some("JWT") {
            return Err(Error::unauthenticated(Rule::TokenInvalid, "the token is not an API token"));
        }
        let claims: Claims = serde_json::from_value(Value::Object(verified.claims)).map_err(|error| {
            Error::unauthenticated(Rule::TokenInvalid, "the token's claims are not those of an API token").because(error)
        })?;
        let token = own(claims, key_id);
        self.in_time(&token.caller, now)?;
        Ok(token)
    }

    /// Refuses a token that is over, or not yet good.
    pub(crate) fn in_time(&self, caller: &Caller, now: Timestamp) -> Result<(), Error> {
        if now >= caller.expires_at {
            return Err(Error::unauthenticated(Rule::TokenExpired, "the token has expired; log in or exchange again"));
        }
        let leeway = i64::try_from(self.settings.limits.leeway.as_secs()).unwrap_or(0);
        if caller.issued_at > now.plus_seconds(leeway) {
            return Err(Error::unauthenticated(
                Rule::TokenInvalid,
                "the token is from the future; compare the clocks of this server's nodes",
            ));
        }
        Ok(())
    }

    /// Refuses a token whose key was removed, or whose identity is gone or proves itself in another way by now (invariant 7).
    /// Answers how the identity stands; operators stand nowhere.
    ///
    /// # Errors
    /// Unauthenticated; unavailable when that cannot be found out.
    pub(crate) async fn still_good(
        &self,
        caller: &Caller,
        key_id: &str,
        relationship_revision: i64,
        now: Timestamp,
    ) -> Result<Option<Arc<Held>>, Error> {
        let held = if caller.operator {
            self.current.confirm().await?;
            None
        } else {
            let revoked = |what| Error::unauthenticated(Rule::TokenRevoked, what);
            let held = self.current.standing(&caller.identity).await?;
            let held = held.ok_or_else(|| revoked("the token's identity was deleted"))?;
            if held.relationship_revision != relationship_revision {
                return Err(revoked("the token's identity changed after it was made; log in or exchange again"));
            }
            Some(held)
        };
        // INVARIANT: looked at after what is current was confirmed, by which a key that was removed has gone.
        if self.current.keys().ring().believes(key_id, now) { Ok(held) } else { Err(invalid(JwsError::UnknownKey)) }
    }
}

/// The `jti` of a new token.
fn token_id(ctx: &Ctx) -> Result<String, Error> {
    let mut token_id = [0; 16];
    ctx.entropy.fill(&mut token_id)?;
    Ok(hex::encode(token_id))
}

/// What the claims say.
fn own(claims: Claims, key_id: String) -> OwnToken {
    let (issued_at, expires_at) = (Timestamp::from_seconds(claims.iat), Timestamp::from_seconds(claims.exp));
    let audience = match claims.aud {
        Audience::One(audience) => vec![audience],
        Audience::Many(audiences) => audiences,
    };
    let caller = Caller {
        operator: claims.sub == operator_uid(),
        identity: claims.sub,
        issuer: claims.iss,
        audience,
        issued_at,
        expires_at,
        token_id: claims.jti,
        upstream: claims.act,
        email: claims.email,
        narrowing: Narrowing { scopes: claims.provost.scopes, capabilities: claims.provost.caps },
    };
    OwnToken { caller, key_id, relationship_revision: claims.provost.rev }
}

/// A token that is none, told to the caller.
pub(crate) fn invalid(error: JwsError) -> Error {
    Error::unauthenticated(Rule::TokenInvalid, error.to_string())
}
