//! base64url without padding (RFC 7515 section 2), one text per value.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

/// The bytes as base64url.
pub(crate) fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The bytes of `text`; `None` when it has padding, other characters or bits that no encoder sets.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}
