//! The token layer against another library as oracle, and against attacks.

use std::sync::LazyLock;

use crate::support::{TestKey, b64, ed25519, jwks, p256, p384, rsa};
use jsonwebtoken::{Algorithm as Other, DecodingKey, EncodingKey, Header, Validation};
use proptest::prelude::*;
use serde_json::{Value, json};
use sts::jws::{Algorithm, Jwks, JwsError, MAX_TOKEN, SigningKey, TokenAlgorithm, Unusable, Unverified, Verified};

static RSA: LazyLock<TestKey> = LazyLock::new(rsa);
static P256: LazyLock<TestKey> = LazyLock::new(p256);
static P384: LazyLock<TestKey> = LazyLock::new(p384);
static ED: LazyLock<TestKey> = LazyLock::new(ed25519);

fn key_of(algorithm: Algorithm) -> &'static TestKey {
    match algorithm {
        Algorithm::Es256 => &P256,
        Algorithm::Es384 => &P384,
        Algorithm::EdDsa => &ED,
        _ => &RSA,
    }
}

fn other(algorithm: Algorithm) -> Other {
    algorithm.as_str().parse().expect("the other library knows it")
}

fn claims() -> Value {
    json!({"iss": "https://a.example", "sub": "s", "aud": "x", "exp": 4_000_000_000_u64})
}

fn verify(token: &str, keys: &str) -> Result<Verified, JwsError> {
    Unverified::parse(token)?.verify(&Jwks::parse(keys.as_bytes()).expect("a key set"))
}

fn raw(header: &Value, payload: &Value, signature: &[u8]) -> String {
    format!("{}.{}.{}", b64(header.to_string()), b64(payload.to_string()), b64(signature))
}

/// The token with another header, keeping payload and signature.
fn with_header(token: &str, header: &str) -> String {
    let (_, rest) = token.split_once('.').expect("segments");
    format!("{}.{rest}", b64(header))
}

#[test]
fn tokens_of_another_library_verify() {
    for algorithm in Algorithm::ALL {
        let key = key_of(algorithm);
        let token = key.token(other(algorithm), Some("k"), &claims());
        for keys in [jwks(&[key.named("k")]), jwks(&[rsa().named("x"), key.named("k")])] {
            let verified = verify(&token, &keys).expect("verified");
            assert_eq!(
                (verified.algorithm, verified.key_id.as_deref(), verified.issuer.as_str()),
                (algorithm, Some("k"), "https://a.example")
            );
            assert_eq!(Value::Object(verified.claims), claims());
        }
    }
}

#[test]
fn another_library_verifies_our_tokens() {
    for (algorithm, theirs) in [(TokenAlgorithm::Es256, Other::ES256), (TokenAlgorithm::Rs256, Other::RS256)] {
        let key = SigningKey::generate(algorithm).expect("a key");
        let again = SigningKey::from_pkcs8(algorithm, key.to_pkcs8().expect("PKCS #8").expose()).expect("the same key");
        assert_eq!((key.key_id(), again.algorithm()), (again.key_id(), algorithm));
        let token = again.sign(&claims()).expect("a token");
        let jwk: jsonwebtoken::jwk::Jwk = serde_json::from_value(key.public_jwk()).expect("a JWK");
        assert_eq!(jwk.thumbprint(jsonwebtoken::jwk::ThumbprintHash::SHA256).as_deref().ok(), Some(key.key_id()));
        let mut validation = Validation::new(theirs);
        validation.set_audience(&["x"]);
        let decoded = jsonwebtoken::decode::<Value>(token.expose(), &DecodingKey::from_jwk(&jwk).expect("a key"), &validation)
            .expect("verified");
        assert_eq!(decoded.claims, claims());
        assert_eq!((decoded.header.kid.as_deref(), decoded.header.typ.as_deref()), (Some(key.key_id()), Some("JWT")));
        assert!(verify(token.expose(), &jwks(&[key.public_jwk()])).is_ok());
    }
}

#[test]
fn none_and_symmetric_algorithms_do_not_exist() {
    for name in ["none", "None", "NONE", "nOnE", "HS256", "HS384", "HS512", "ES512", "ES256K", "RS1", "rs256", ""] {
        let token = raw(&json!({"alg": name, "kid": "k"}), &claims(), b"x");
        assert_eq!(Unverified::parse(&token).err(), Some(JwsError::Algorithm), "{name}");
    }
    let unsigned = format!("{}.{}.", b64(r#"{"alg":"none"}"#), b64(claims().to_string()));
    assert_eq!(Unverified::parse(&unsigned).err(), Some(JwsError::Algorithm));
    // The public key as the secret of HS256, in every form that a library may have at hand.
    for secret in [RSA.public_pem(), RSA.public_pem().trim().to_owned(), RSA.jwk.to_string(), jwks(&[RSA.named("k")])] {
        let header = Header { kid: Some("k".into()), ..Header::new(Other::HS256) };
        let token = jsonwebtoken::encode(&header, &claims(), &EncodingKey::from_secret(secret.as_bytes())).expect("a token");
        assert_eq!(verify(&token, &jwks(&[RSA.named("k")])).err(), Some(JwsError::Algorithm));
    }
}

#[test]
fn an_algorithm_must_be_the_keys() {
    let token = RSA.token(Other::RS256, Some("k"), &claims());
    for name in ["RS384", "RS512", "PS256", "PS384", "PS512"] {
        let forged = with_header(&token, &format!(r#"{{"alg":"{name}","kid":"k"}}"#));
        assert_eq!(verify(&forged, &jwks(&[RSA.named("k")])).err(), Some(JwsError::Signature), "{name}");
    }
    for name in ["ES256", "ES384", "EdDSA"] {
        let forged = with_header(&token, &format!(r#"{{"alg":"{name}","kid":"k"}}"#));
        assert_eq!(verify(&forged, &jwks(&[RSA.named("k")])).err(), Some(JwsError::KeyMismatch), "{name}");
    }
    // A key that names its algorithm is for that one alone.
    let mut jwk = RSA.named("k");
    jwk["alg"] = "RS512".into();
    assert_eq!(verify(&token, &jwks(&[jwk])).err(), Some(JwsError::KeyMismatch));
    assert_eq!(verify(&token, &jwks(&[P256.named("k")])).err(), Some(JwsError::KeyMismatch));
    assert_eq!(verify(&token, &jwks(&[rsa().named("k")])).err(), Some(JwsError::Signature));
}

#[test]
fn keys_are_found_by_kid_or_when_there_is_one_choice() {
    let token = P256.token(Other::ES256, None, &claims());
    assert!(verify(&token, &jwks(&[P256.named("k")])).is_ok());
    assert!(verify(&token, &jwks(&[P256.jwk.clone(), RSA.named("r")])).is_ok());
    assert_eq!(verify(&token, &jwks(&[P256.named("k"), p256().named("l")])).err(), Some(JwsError::AmbiguousKey));
    assert_eq!(verify(&token, &jwks(&[RSA.named("k")])).err(), Some(JwsError::UnknownKey));
    let named = P256.token(Other::ES256, Some("k"), &claims());
    assert_eq!(verify(&named, &jwks(&[P256.named("l")])).err(), Some(JwsError::UnknownKey));
    assert_eq!(verify(&named, &jwks(std::slice::from_ref(&P256.jwk))).err(), Some(JwsError::UnknownKey));
    // Two keys of one name (RFC 7517 section 4.5): either may be the one.
    assert!(verify(&named, &jwks(&[p256().named("k"), RSA.named("k"), P256.named("k")])).is_ok());
    for kid in ["../../../../etc/passwd", "k' OR '1'='1", "http://evil.example/k", "", "\u{0}"] {
        let injected = P256.token(Other::ES256, Some(kid), &claims());
        assert_eq!(verify(&injected, &jwks(&[P256.named("k")])).err(), Some(JwsError::UnknownKey), "{kid}");
    }
}

#[test]
fn keys_in_the_header_are_not_read() {
    let evil = p256();
    let header = json!({
        "alg": "ES256", "typ": "JWT", "kid": "k", "jwk": evil.named("k"), "jku": "https://evil.example/jwks", "x5u": "https://evil.example/x", "x5c": ["AA=="],
    });
    let token = evil.token(Other::ES256, Some("k"), &claims());
    assert_eq!(verify(&with_header(&token, &header.to_string()), &jwks(&[P256.named("k")])).err(), Some(JwsError::Signature));
}

#[test]
fn the_form_is_judged_strictly() {
    let token = P256.token(Other::ES256, Some("k"), &claims());
    let keys = jwks(&[P256.named("k")]);
    let parts: Vec<_> = token.split('.').collect();
    let (header, payload, signature) = (parts[0], parts[1], parts[2]);
    for (bad, why) in [
        (String::new(), "segments"),
        (header.to_owned(), "segments"),
        (format!("{header}.{payload}"), "segments"),
        (format!("{token}.{signature}"), "more than"),
        (format!("{token}."), "more than"),
        (format!(".{token}"), "more than"),
        (format!("{header}..{signature}"), "payload"),
        (format!("{header}.{payload}."), "signature"),
        (format!(".{payload}.{signature}"), "header"),
        (format!("{header}=.{payload}.{signature}"), "header"),
        (format!("{header}.{payload}==.{signature}"), "payload"),
        (format!("{token}="), "signature"),
        (format!(" {token}"), "header"),
        (format!("{token}\n"), "signature"),
        (token.replace('-', "+") + "+/", "signature"),
        (with_header(&token, "[]"), "header"),
        (with_header(&token, "{}"), "alg"),
        (with_header(&token, r#"{"alg":1}"#), "alg"),
        (with_header(&token, r#"{"alg":"ES256","alg":"ES256"}"#), "distinct"),
        (with_header(&token, r#"{"alg":"ES256","kid":1}"#), "kid"),
        (with_header(&token, r#"{"alg":"ES256","typ":{}}"#), "typ"),
        (raw(&json!({"alg": "ES256"}), &json!([]), b"x"), "payload"),
        (raw(&json!({"alg": "ES256"}), &json!({"sub": "x"}), b"x"), "iss"),
        (raw(&json!({"alg": "ES256"}), &json!({"iss": ["a"]}), b"x"), "iss"),
        (format!("{}.{}.AA", b64(r#"{"alg":"ES256"}"#), b64(r#"{"iss":"a","iss":"b"}"#)), "distinct"),
        (format!("{}.{}.AA", b64(r#"{"alg":"ES256"}"#), b64([0xff, 0xfe])), "payload"),
    ] {
        match Unverified::parse(&bad) {
            Err(JwsError::Malformed(what)) => assert!(what.contains(why), "{bad}: {what}"),
            other => panic!("{bad}: {other:?}"),
        }
    }
    assert_eq!(
        Unverified::parse(&with_header(&token, r#"{"alg":"ES256","crit":["exp"],"exp":1}"#)).err(),
        Some(JwsError::Critical)
    );
    assert_eq!(
        Unverified::parse(&with_header(&token, r#"{"alg":"ES256","crit":["b64"],"b64":false}"#)).err(),
        Some(JwsError::Critical)
    );
    for end in 0..token.len() {
        assert!(verify(&token[..end], &keys).is_err(), "{end} bytes");
    }
    let large = format!("{}.{}.{}", header, b64("x".repeat(MAX_TOKEN)), signature);
    assert_eq!(Unverified::parse(&large).err(), Some(JwsError::TooLarge));
}

#[test]
fn only_the_issuer_and_the_key_are_told_before_verification() {
    let token = P256.token(Other::ES256, Some("k"), &claims());
    let unverified = Unverified::parse(&token).expect("a token");
    assert_eq!((unverified.issuer(), unverified.key_id()), ("https://a.example", Some("k")));
    assert_eq!(format!("{unverified:?}"), r#"Unverified { issuer: "https://a.example", key_id: Some("k"), .. }"#);
}

/// The order of the base point of Ed25519 (RFC 8032 section 5.1), least significant byte first.
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0x10,
];

#[test]
fn signatures_have_one_encoding() {
    // DER instead of the fixed form (RFC 7518 section 3.4).
    let token = P256.token(Other::ES256, Some("k"), &claims());
    let (signed, signature) = token.rsplit_once('.').expect("segments");
    let fixed = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, signature).expect("base64url");
    let integer = |bytes: &[u8]| [&[2, 33, 0], bytes].concat();
    let body = [integer(&fixed[..32]), integer(&fixed[32..])].concat();
    let der = [&[0x30, u8::try_from(body.len()).expect("short")], body.as_slice()].concat();
    let keys = jwks(&[P256.named("k")]);
    for bad in [der, [fixed.as_slice(), &[0]].concat(), fixed[..63].to_vec(), vec![0; 64], [&fixed[32..], &fixed[..32]].concat()]
    {
        assert_eq!(verify(&format!("{signed}.{}", b64(bad)), &keys).err(), Some(JwsError::Signature));
    }
    // Ed25519 with S + L, the same number modulo the order (RFC 8032 section 5.1.7).
    let token = ED.token(Other::EdDSA, Some("k"), &claims());
    let (signed, signature) = token.rsplit_once('.').expect("segments");
    let mut bytes = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, signature).expect("base64url");
    let mut carry = 0;
    for (digit, add) in bytes[32..].iter_mut().zip(ORDER) {
        let sum = u16::from(*digit) + u16::from(add) + carry;
        (*digit, carry) = ((sum & 0xff) as u8, sum >> 8);
    }
    assert_eq!(verify(&format!("{signed}.{}", b64(bytes)), &jwks(&[ED.named("k")])).err(), Some(JwsError::Signature));
}

#[test]
fn keys_that_cannot_be_used_are_kept_and_never_match() {
    let with = |key: &TestKey, name: &str, value: Value| {
        let mut jwk = key.named("k");
        jwk[name] = value;
        jwk
    };
    let small = b64([&[0x80][..], &[1; 127]].concat());
    for (jwk, why) in [
        (json!({"kty": "oct", "k": "AAAA", "kid": "k"}), Unusable::Secret),
        (with(&P256, "d", json!("AAAA")), Unusable::Secret),
        (with(&RSA, "p", json!("AAAA")), Unusable::Secret),
        (with(&P256, "use", json!("enc")), Unusable::Use),
        (with(&P256, "key_ops", json!(["sign"])), Unusable::Use),
        (with(&P256, "key_ops", json!("verify")), Unusable::Use),
        (with(&P256, "crv", json!("P-521")), Unusable::Unsupported),
        (with(&P256, "crv", json!("secp256k1")), Unusable::Unsupported),
        (with(&P256, "alg", json!("ECDH-ES")), Unusable::Unsupported),
        (with(&P256, "alg", json!("HS256")), Unusable::Unsupported),
        (with(&P256, "kty", json!("RSA")), Unusable::Malformed),
        (with(&P256, "alg", json!("RS256")), Unusable::Malformed),
        (with(&P256, "x", json!("AAAA")), Unusable::Malformed),
        (with(&P256, "x", P256.jwk["y"].clone()), Unusable::Malformed),
        (with(&ED, "crv", json!("X25519")), Unusable::Unsupported),
        (with(&ED, "x", json!("AAAA")), Unusable::Malformed),
        (with(&RSA, "n", json!(small)), Unusable::Size),
        (with(&RSA, "e", json!("AQ")), Unusable::Malformed),
        (with(&RSA, "e", json!("Ag")), Unusable::Malformed),
        (with(&RSA, "n", json!("not base64!")), Unusable::Malformed),
        (json!({"kid": "k"}), Unusable::Malformed),
        (json!({"kty": "quantum", "kid": "k"}), Unusable::Unsupported),
    ] {
        let keys = jwks(std::slice::from_ref(&jwk));
        let parsed = Jwks::parse(keys.as_bytes()).expect("a key set");
        assert_eq!((parsed.keys().len(), parsed.keys()[0].unusable()), (1, Some(why)), "{jwk}");
        let token = P256.token(Other::ES256, Some("k"), &claims());
        assert_eq!(verify(&token, &keys).err(), Some(JwsError::UnknownKey), "{jwk}");
        let beside = jwks(&[jwk, P256.named("k")]);
        assert!(verify(&token, &beside).is_ok(), "{beside}");
    }
}

#[test]
fn a_signature_is_tried_with_few_keys() {
    let key = |kid: &str| json!({"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"});
    let parse = |names: &[&str]| {
        let keys: Vec<_> = names.iter().map(|name| key(name)).collect();
        Jwks::parse(json!({ "keys": keys }).to_string().as_bytes()).map(|set| set.keys().len()).map_err(|error| error.to_string())
    };
    assert_eq!(parse(&["a", "a", "b", "a", "a"]), Ok(5));
    let error = parse(&["a", "a", "b", "a", "a", "a"]).expect_err("too many of one name");
    assert_eq!(error, "a key set may have at most 4 keys with the same kid for the same algorithm");
}

#[test]
fn a_key_set_is_a_list_of_objects() {
    for bad in [
        "",
        "[]",
        "{}",
        r#"{"keys":{}}"#,
        r#"{"keys":[1]}"#,
        r#"{"keys":[],"keys":[]}"#,
        r#"{"keys":[{"kty":"EC","kty":"RSA"}]}"#,
    ] {
        assert!(Jwks::parse(bad.as_bytes()).is_err(), "{bad}");
    }
    assert!(Jwks::parse(jwks(&vec![json!({}); 129]).as_bytes()).is_err());
    assert!(Jwks::parse(jwks(&vec![json!({}); 128]).as_bytes()).is_ok());
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}") {
        let _ = Unverified::parse(&text);
        let _ = Jwks::parse(text.as_bytes());
    }

    #[test]
    fn no_json_makes_it_panic(header in "\\{(\"(alg|kid|typ|crit)\":(\"(ES256|none|k)\"|1|null|\\[\\]),?){0,4}\\}?", payload in "\\{?\"iss\":(\"x\"|1)\\}?", signature in prop::collection::vec(any::<u8>(), 0..80)) {
        let token = format!("{}.{}.{}", b64(header), b64(payload), b64(signature));
        if let Ok(unverified) = Unverified::parse(&token) {
            let keys = Jwks::parse(jwks(&[P256.named("k"), RSA.jwk.clone()]).as_bytes()).expect("a key set");
            prop_assert!(unverified.verify(&keys).is_err());
        }
    }

    #[test]
    fn no_jwk_makes_it_panic(kty in "(RSA|EC|OKP)", crv in "(P-256|P-384|Ed25519)", a in "[A-Za-z0-9_-]{0,90}", b in "[A-Za-z0-9_-]{0,400}") {
        let key = json!({"kty": kty, "crv": crv, "x": a.clone(), "y": a.clone(), "n": b, "e": a});
        prop_assert!(Jwks::parse(jwks(&[key]).as_bytes()).is_ok());
    }

    #[test]
    fn one_changed_character_is_noticed(at in any::<prop::sample::Index>(), to in "[A-Za-z0-9_.=-]") {
        let token = ED.token(Other::EdDSA, Some("k"), &claims());
        let at = at.index(token.len());
        let altered = format!("{}{to}{}", &token[..at], &token[at + 1..]);
        prop_assume!(altered != token);
        prop_assert!(verify(&altered, &jwks(&[ED.named("k")])).is_err());
    }
}
