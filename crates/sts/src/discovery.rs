//! What we publish about ourselves as an issuer.

use serde_json::{Value, json};

use crate::{Settings, jws::TokenAlgorithm};

/// Path of the key set below the issuer URL.
pub const JWKS_PATH: &str = "/.well-known/jwks.json";
/// Path of the discovery document below the issuer URL (OpenID Connect Discovery 1.0 section 4).
pub const DISCOVERY_PATH: &str = "/.well-known/openid-configuration";

/// Our discovery document (OpenID Connect Discovery 1.0 section 3). It names only what exists: tokens come from
/// our own exchange, so there is neither an authorization nor a token endpoint yet.
#[must_use]
pub fn discovery_document(settings: &Settings) -> Value {
    // All that there may be keys for: tokens stay good when the setting changes, and nodes may differ for a while.
    let own = settings.token_algorithm;
    let others = TokenAlgorithm::ALL.into_iter().filter(|other| *other != own);
    let algorithms: Vec<_> = std::iter::once(own).chain(others).map(TokenAlgorithm::as_str).collect();
    let base = settings.auth_url.trim_end_matches('/');
    json!({
        "issuer": settings.auth_url,
        "jwks_uri": format!("{base}{JWKS_PATH}"),
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": algorithms,
        "claims_supported": ["iss", "sub", "aud", "iat", "exp", "jti", "act", "email"],
    })
}
