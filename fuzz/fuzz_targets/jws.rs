//! Tokens. What is taken apart has one spelling, and nothing verifies without the key.
#![no_main]

use std::sync::LazyLock;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use libfuzzer_sys::fuzz_target;
use sts::jws::{Jwks, MAX_TOKEN, Unverified};

/// The public half of the key of RFC 8037, appendix A, and those of an RSA key, which every RSA algorithm is for, and of one on
/// P-256. The private halves of these two are gone.
static KEYS: LazyLock<Jwks> = LazyLock::new(|| {
    let keys = br#"{"keys":[
        {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
        {"kty":"EC","crv":"P-256","kid":"p256",
         "x":"HgEHGrfqe4XXsTuP_JKeYz9u0gp-1CSnz1V8rGsx3tM","y":"MXSOn3JvX6cFoxoB2etWPVibxlPEyBCHWwvxJ9yJLu8"},
        {"kty":"RSA","kid":"rsa","e":"AQAB",
         "n":"sGDnn7JNg2fno84-SS0nzeo8sCP3YLG0-X0CkNdCU0mFPq79jzPpGKnWkxMn_WNr6doWMatU77xRKJpOV4b8-zoLF6EOd7UZeFnVNCjdCv_lhh80XdrtsrIARjgPdEyrqPbd36WkjWScfo4_KoLfOHsm6dqzknxP_qe7EGocsk-6aV0tWp14SYwTg6LTtZL0JdvKeL28XqSxeOQoRgCS1fgWZgzCWP1kLZTBF0NCygA8oCG915Gnaf7sFz9rGyS668cpOTgxksWNvFOTjmRzzN22_fXS3aouPX3-cGxH5bjEU6tJUS3xVJrI97l8xn1h9BcoLG1Kafniwdq1q1e8Xw"}]}"#;
    let keys = Jwks::parse(keys).expect("a key set");
    assert!(keys.keys().iter().all(|key| key.unusable().is_none()), "every key can be used");
    keys
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
