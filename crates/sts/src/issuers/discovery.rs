//! The discovery document of an issuer (OpenID Connect Discovery 1.0 section 4).

use serde_json::Value;

use super::client::FetchError;
use crate::jws::strict;

/// What the document is called in errors.
pub(super) const WHAT: &str = "the issuer's discovery document";

/// Where an issuer's document is: the well-known path is put behind the issuer, whose final slash goes (section 4.1).
pub(super) fn url(issuer: &str) -> String {
    format!("{}/.well-known/openid-configuration", issuer.strip_suffix('/').unwrap_or(issuer))
}

/// The `jwks_uri` in the document. The document must be of this very issuer, byte for byte (section 4.3).
pub(super) fn jwks_uri(issuer: &str, document: &[u8]) -> Result<String, FetchError> {
    let refused = |why: &str| FetchError::Refused(format!("{WHAT} {why}"));
    let members = strict::object(document).map_err(|_| refused("is not a JSON object with distinct members"))?;
    match members.get("issuer").and_then(Value::as_str) {
        Some(named) if named == issuer => {}
        Some(_) => return Err(refused("names another issuer than the token does")),
        None => return Err(refused("names no issuer")),
    }
    members.get("jwks_uri").and_then(Value::as_str).map(str::to_owned).ok_or_else(|| refused("names no jwks_uri"))
}
