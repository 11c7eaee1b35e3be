//! A whole relationship made ready for judging tokens.

use std::sync::Arc;

use domain::{
    Timestamp, Violations,
    iam::identity::{Matcher, Relationship, StaticKeys},
};
use serde_json::{Map, Value};

use super::{
    aws_identity::CompiledAwsIdentity,
    compiled::{self, Accepted, CompiledClaimMatch, Mismatch},
    issuer_url::UrlPolicy,
    text::{self, MAX_CLAIMS, MAX_KEYS_TEXT},
};
use crate::jws::{Jwks, JwksError, Unusable};

/// A relationship that was checked and compiled.
#[derive(Clone, Debug)]
pub enum Compiled {
    /// Tokens of an issuer whose claims match.
    ClaimMatch(Arc<CompiledClaimMatch>),
    /// Tokens signed with pasted keys.
    StaticKeys(Arc<CompiledStaticKeys>),
    /// Requests to AWS that a principal has signed.
    Aws(Arc<CompiledAwsIdentity>),
    /// A part of the platform: no upstream token stands for it.
    ServicePrincipal,
}

/// Pasted keys, parsed. They are never shared with other identities.
#[derive(Debug)]
pub struct CompiledStaticKeys {
    issuer: String,
    subject: String,
    audience: Option<String>,
    keys: Arc<Jwks>,
    expires_at: Timestamp,
    memory: usize,
}

/// What pasted keys take, ready for each of their algorithms, for each byte of their text.
const KEYS: usize = 16;

impl Compiled {
    /// Checks and compiles; what is wrong goes to `violations`, with fields relative to the identity.
    pub fn compile(relationship: &Relationship, policy: UrlPolicy, violations: &mut Violations) -> Option<Self> {
        match relationship {
            Relationship::ClaimMatch(rule) => {
                CompiledClaimMatch::compile(rule, policy, violations).map(|rule| Self::ClaimMatch(Arc::new(rule)))
            }
            Relationship::StaticKeys(keys) => {
                CompiledStaticKeys::compile(keys, violations).map(|keys| Self::StaticKeys(Arc::new(keys)))
            }
            Relationship::AwsIdentity(aws) => CompiledAwsIdentity::compile(aws, violations).map(|rule| Self::Aws(Arc::new(rule))),
            Relationship::ServicePrincipal { .. } => Some(Self::ServicePrincipal),
        }
    }

    /// How many bytes it takes beside its texts, about; none where compiling costs next to nothing.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::ClaimMatch(rule) => rule.memory(),
            Self::StaticKeys(keys) => keys.memory,
            Self::Aws(rule) => rule.memory(),
            Self::ServicePrincipal => 0,
        }
    }

    /// Whether tokens of this issuer can match.
    #[must_use]
    pub fn admits_issuer(&self, issuer: &str) -> bool {
        match self {
            Self::ClaimMatch(rule) => rule.admits_issuer(issuer),
            Self::StaticKeys(keys) => keys.issuer == issuer,
            Self::Aws(_) | Self::ServicePrincipal => false,
        }
    }

    /// What it takes at most to tell whether tokens of this issuer can match, in steps of about a nanosecond.
    pub(crate) fn issuer_steps(&self, issuer: &str) -> u64 {
        match self {
            Self::ClaimMatch(rule) => rule.issuer_steps(issuer),
            Self::StaticKeys(_) | Self::Aws(_) | Self::ServicePrincipal => 0,
        }
    }

    /// What it takes at most to match these claims, in steps of about a nanosecond.
    pub(crate) fn steps(&self, claims: &Map<String, Value>) -> u64 {
        match self {
            Self::ClaimMatch(rule) => rule.steps(claims),
            Self::Aws(rule) => rule.steps(claims),
            Self::StaticKeys(_) | Self::ServicePrincipal => 0,
        }
    }

    /// Matches verified claims. `default_audiences` count when the relationship names no audience.
    ///
    /// # Errors
    /// The first claim that does not match.
    pub fn admit(&self, claims: &Map<String, Value>, default_audiences: &[String]) -> Result<Accepted, Mismatch> {
        match self {
            Self::ClaimMatch(rule) => rule.admit(claims, default_audiences),
            Self::StaticKeys(keys) => keys.admit(claims, default_audiences),
            Self::Aws(rule) => rule.admit(claims),
            Self::ServicePrincipal => Err(Mismatch("iss".to_owned())),
        }
    }
}

/// Whether making it ready takes longer than handing that over to a thread of its own: it has patterns or pasted keys. What is
/// refused for its size alone is not.
pub(crate) fn is_dear(relationship: &Relationship) -> bool {
    let is_pattern = |matcher: &Matcher| matches!(matcher, Matcher::Pattern(_));
    match relationship {
        Relationship::ClaimMatch(rule) => {
            let matchers = [Some(&rule.issuer), Some(&rule.subject), rule.audience.as_ref()];
            let has_patterns = !rule.claim_patterns.is_empty() || matchers.into_iter().flatten().any(is_pattern);
            has_patterns && rule.claims.len() + rule.claim_patterns.len() <= MAX_CLAIMS
        }
        Relationship::StaticKeys(keys) => keys.issuer_keys.len() <= MAX_KEYS_TEXT,
        Relationship::AwsIdentity(aws) => is_pattern(&aws.arn) || is_pattern(&aws.user_id),
        Relationship::ServicePrincipal { .. } => false,
    }
}

impl CompiledStaticKeys {
    fn compile(keys: &StaticKeys, violations: &mut Violations) -> Option<Self> {
        let mut is_valid = true;
        let mut fault = |field: &str, what: String| {
            violations.add(format!("static_keys.{field}"), format!("{field} {what}"));
            is_valid = false;
        };
        let texts = [("issuer", &keys.issuer), ("subject", &keys.subject)];
        let audiences = keys.audiences.iter().map(|audience| ("audiences", audience));
        for (field, value) in texts.into_iter().chain(audiences) {
            if let Err(what) = text::literal(value) {
                fault(field, what);
            }
        }
        if keys.audiences.len() > 1 {
            fault("audiences", "may hold one audience at most".to_owned());
        }
        let jwks = public_keys(&keys.issuer_keys).map_err(|what| fault("issuer_keys", what)).ok();
        let jwks = jwks.filter(|_| is_valid)?;
        Some(Self {
            issuer: keys.issuer.clone(),
            subject: keys.subject.clone(),
            audience: keys.audiences.first().cloned(),
            keys: Arc::new(jwks),
            expires_at: keys.expires_at,
            memory: KEYS * keys.issuer_keys.len(),
        })
    }

    /// The pasted keys.
    pub(crate) fn keys(&self) -> Arc<Jwks> {
        Arc::clone(&self.keys)
    }

    /// Whether they may not be used any more.
    pub(crate) fn have_expired(&self, now: Timestamp) -> bool {
        now >= self.expires_at
    }

    fn admit(&self, claims: &Map<String, Value>, default_audiences: &[String]) -> Result<Accepted, Mismatch> {
        if claims.get("iss").and_then(Value::as_str) != Some(&self.issuer) {
            return Err(Mismatch("iss".to_owned()));
        }
        let subject =
            compiled::subject(claims).filter(|subject| *subject == self.subject).ok_or_else(|| Mismatch("sub".to_owned()))?;
        let wanted = self.audience.as_ref().map_or(default_audiences, std::slice::from_ref);
        let audience = compiled::audiences(claims).into_iter().find(|audience| wanted.iter().any(|wanted| wanted == audience));
        let audience = audience.ok_or_else(|| Mismatch("aud".to_owned()))?;
        Ok(Accepted { subject: subject.to_owned(), audience: audience.to_owned() })
    }
}

/// Why no key of a pasted key set can be used, to be read behind its name: `are no JSON Web Key Set: …`. `None` when one can.
#[must_use]
pub fn unusable_keys(text: &str) -> Option<String> {
    match Jwks::parse(text.as_bytes()) {
        Ok(jwks) if jwks.keys().is_empty() => Some("hold no key".to_owned()),
        Ok(jwks) => jwks.unusable().map(|why| format!("cannot be used: {why}")),
        Err(error) => Some(format!("are no JSON Web Key Set: {error}")),
    }
}

/// A pasted key set; otherwise what is wrong with it. What is none is kept as it was given, as the published service does, and
/// stands for no key; keys that cannot be used may stay, secrets may not.
fn public_keys(text: &str) -> Result<Jwks, String> {
    if text.len() > MAX_KEYS_TEXT {
        return Err(format!("must be at most {MAX_KEYS_TEXT} bytes"));
    }
    let jwks = match Jwks::parse(text.as_bytes()) {
        Ok(jwks) => jwks,
        Err(JwksError::Json | JwksError::Shape) if looks_private(text) => {
            return Err("must hold public keys only: this one is private; replace that key, it is no secret any more".to_owned());
        }
        Err(JwksError::Json | JwksError::Shape) => Jwks::default(),
        Err(error) => return Err(format!("must be a JSON Web Key Set: {error}")),
    };
    match jwks.keys().iter().position(|key| key.unusable() == Some(Unusable::Secret)) {
        Some(at) => Err(format!(
            "must hold public keys only: key {} is private or symmetric; replace that key, it is no secret any more",
            at + 1
        )),
        None => Ok(jwks),
    }
}

/// Whether a text that is no key set seems to have a private key in it: in PEM (RFC 7468 section 10), or as the member `d` or `k` of a
/// JSON Web Key (RFC 7518 sections 6.2.2, 6.3.2 and 6.4).
fn looks_private(text: &str) -> bool {
    let has_member = |name: &str| text.split(name).skip(1).any(|rest| rest.trim_start().starts_with(':'));
    text.contains("PRIVATE KEY-----") || has_member("\"d\"") || has_member("\"k\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_key_sets_count_for_the_memory_that_they_take() {
        let keys = r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;
        let memory = |issuer_keys: String| {
            let relationship = Relationship::StaticKeys(StaticKeys {
                issuer: "i".to_owned(),
                subject: "s".to_owned(),
                issuer_keys,
                audiences: Vec::new(),
                expires_at: Timestamp(1),
            });
            Compiled::compile(&relationship, UrlPolicy::default(), &mut Violations::default()).expect("keys").memory()
        };
        assert_eq!(memory(keys.to_owned()), 16 * keys.len());
        // 128 RSA keys that are for every algorithm take about a megabyte.
        assert_eq!(memory(keys.to_owned() + &" ".repeat(MAX_KEYS_TEXT - keys.len())), 1 << 20);
    }
}
