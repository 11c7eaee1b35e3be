//! Our own tokens: what they say, minting them, and judging them.

use std::sync::Arc;

use domain::{
    Caller, CapabilitySet, Ctx, Error, Narrowing, Rule, Secret, Timestamp, Uidp, Upstream, iam::identity::operator_uid,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Settings,
    jws::{JwsError, MAX_TOKEN, Unverified},
    keys::SigningKeys,
};

/// Makes and judges our own tokens. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Tokens {
    settings: Arc<Settings>,
    keys: SigningKeys,
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
    /// Tokens signed with `keys` under these settings.
    #[must_use]
    pub fn new(settings: Arc<Settings>, keys: SigningKeys) -> Self {
        Self { settings, keys }
    }

    /// Makes a token.
    ///
    /// # Errors
    /// Invalid argument when the narrowing makes it larger than [`MAX_TOKEN`].
    pub(crate) async fn mint(&self, subject: Subject, ctx: &Ctx) -> Result<IssuedToken, Error> {
        let mut token_id = [0; 16];
        ctx.entropy.fill(&mut token_id)?;
        let token_id = hex::encode(token_id);
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
        let token = self.keys.sign(&claims, ctx.now).await?;
        if token.expose().len() > MAX_TOKEN {
            return Err(Error::field(
                "scopes",
                format!("scopes make the token larger than {MAX_TOKEN} bytes; ask for fewer groups"),
            ));
        }
        Ok(IssuedToken { token, expires_at: Timestamp::from_seconds(subject.expires_at.seconds()), token_id })
    }

    /// Judges one of our tokens.
    ///
    /// # Errors
    /// Unauthenticated when it is not ours, altered, of another kind or expired.
    pub(crate) async fn verify(&self, bearer: &Secret<String>, now: Timestamp) -> Result<OwnToken, Error> {
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
        let keys = match unverified.key_id() {
            Some(key_id) => self.keys.verifier(key_id, now).await,
            None => None,
        };
        let keys = keys.ok_or_else(|| invalid(JwsError::UnknownKey))?;
        let verified = unverified.verify(&keys).map_err(invalid)?;
        if verified.kind.as_deref() != Some("JWT") {
            return Err(Error::unauthenticated(Rule::TokenInvalid, "the token is not an API token"));
        }
        let claims: Claims = serde_json::from_value(Value::Object(verified.claims)).map_err(|error| {
            Error::unauthenticated(Rule::TokenInvalid, "the token's claims are not those of an API token").because(error)
        })?;
        self.judge(claims, now)
    }

    fn judge(&self, claims: Claims, now: Timestamp) -> Result<OwnToken, Error> {
        let (issued_at, expires_at) = (Timestamp::from_seconds(claims.iat), Timestamp::from_seconds(claims.exp));
        if now >= expires_at {
            return Err(Error::unauthenticated(Rule::TokenExpired, "the token has expired; log in or exchange again"));
        }
        let leeway = i64::try_from(self.settings.limits.leeway.as_secs()).unwrap_or(0);
        if issued_at > now.plus_seconds(leeway) {
            return Err(Error::unauthenticated(
                Rule::TokenInvalid,
                "the token is from the future; compare the clocks of this server's nodes",
            ));
        }
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
        Ok(OwnToken { caller, relationship_revision: claims.provost.rev })
    }
}

/// A token that is none, told to the caller.
pub(crate) fn invalid(error: JwsError) -> Error {
    Error::unauthenticated(Rule::TokenInvalid, error.to_string())
}
