//! Tokens. What is taken apart has one spelling, and nothing verifies without the key.
#![no_main]

use std::sync::LazyLock;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use libfuzzer_sys::fuzz_target;
use sts::jws::{Jwks, MAX_TOKEN, Unverified};

/// The public half of the key of RFC 8037, appendix A.
static KEYS: LazyLock<Jwks> = LazyLock::new(|| {
    let keys = br#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;
    Jwks::parse(keys).expect("a key set")
});

fuzz_target!(|input: &[u8]| {
    let _ = Jwks::parse(input);
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(token) = Unverified::parse(text) else { return };
    assert!(text.len() <= MAX_TOKEN && !token.issuer().is_empty());
    for segment in text.split('.') {
        let bytes = URL_SAFE_NO_PAD.decode(segment).expect("segments are base64url");
        assert_eq!(URL_SAFE_NO_PAD.encode(bytes), segment, "a token has one spelling");
    }
    assert!(token.verify(&KEYS).is_err(), "nobody signs without the key: {text}");
});
