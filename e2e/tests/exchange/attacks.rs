//! Forged tokens, upstream and at the API.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use client::Token;
use contract::chainguard::platform::{
    iam::v2beta1::{
        CreateIdentityRequest, GetGroupRequest, Identity,
        identity::{
            ClaimMatch, Relationship,
            claim_match::{Iss, Sub},
        },
        rpc::{CreateIdentity, GetGroup},
    },
    oidc::{ExchangeRequest, rpc::Exchange},
};
use serde_json::{Value, json};
use testkit::{Fault, Issuer, scenario};

const NOW: i64 = 1_767_323_045;

fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

/// A token that an HMAC with `secret` signs: what a verifier that trusts the header would accept with a public key.
fn hs256(claims: &Value, secret: &[u8]) -> String {
    let header = jsonwebtoken::Header { kid: Some("k1".into()), ..jsonwebtoken::Header::new(jsonwebtoken::Algorithm::HS256) };
    jsonwebtoken::encode(&header, claims, &jsonwebtoken::EncodingKey::from_secret(secret)).expect("a token")
}

#[tokio::test]
async fn forged_workload_tokens_are_refused() {
    let transcript = scenario(async |s| {
        let issuer = Issuer::start(Fault::None).await;
        s.name(issuer.url.clone(), "issuer");
        let rule = ClaimMatch {
            iss: Some(Iss::Issuer(issuer.url.clone())),
            sub: Some(Sub::Subject("robot".into())),
            ..ClaimMatch::default()
        };
        let robot = Identity { name: "robot".into(), relationship: Some(Relationship::ClaimMatch(rule)), ..Identity::default() };
        let parent = s.server.organization().to_string();
        let create = CreateIdentityRequest { parent, identity: Some(robot) };
        let identity = s.quietly::<CreateIdentity>(&s.server.admin(), create).await.ok::<Identity>().uid;

        let good = json!({"iss": issuer.url, "sub": "robot", "aud": s.server.base_url(), "iat": NOW, "exp": NOW + 600});
        let with = |key: &str, value: Value| {
            let mut claims = good.clone();
            claims[key] = value;
            claims
        };
        let genuine = issuer.sign(&good);
        let (input, signature) = genuine.rsplit_once('.').unwrap();
        let payload = input.split_once('.').unwrap().1;
        let stranger = Issuer::start(Fault::None).await;
        let forged = [
            ("genuine", genuine.clone()),
            ("no algorithm", format!("{}.{}.", part(&json!({"alg": "none"})), part(&good))),
            ("no algorithm but a signature", format!("{}.{payload}.{signature}", part(&json!({"alg": "none", "kid": "k1"})))),
            ("an HMAC with the public key", hs256(&good, issuer.keys().to_string().as_bytes())),
            ("an algorithm of another key type", issuer.sign_as(&json!({"alg": "RS256", "kid": "k1"}), &good)),
            ("a key that the issuer does not have", issuer.sign_as(&json!({"alg": "ES256", "kid": "k2"}), &good)),
            ("another's signature", stranger.sign(&good)),
            (
                "other claims under the signature",
                format!("{}.{}.{signature}", part(&json!({"alg": "ES256", "kid": "k1"})), part(&with("sub", json!("root")))),
            ),
            ("no signature", format!("{input}.")),
            ("half a token", input.to_owned()),
            ("four parts", format!("{genuine}.x")),
            ("not a token", "nonsense".to_owned()),
            ("a critical extension", issuer.sign_as(&json!({"alg": "ES256", "kid": "k1", "crit": ["exp"]}), &good)),
            ("expired", issuer.sign(&with("exp", json!(NOW - 1)))),
            (
                "without expiry",
                issuer.sign(&{
                    let mut c = good.clone();
                    c.as_object_mut().unwrap().remove("exp");
                    c
                }),
            ),
            ("not valid yet", issuer.sign(&with("nbf", json!(NOW + 61)))),
            ("almost valid", issuer.sign(&with("nbf", json!(NOW + 59)))),
            ("issued in the future", issuer.sign(&with("iat", json!(NOW + 61)))),
            ("an expiry that is a text", issuer.sign(&with("exp", json!("tomorrow")))),
            ("a subject that is a number", issuer.sign(&with("sub", json!(1)))),
            ("a very long token", issuer.sign(&with("padding", json!("x".repeat(20_000))))),
        ];
        for (title, token) in forged {
            let request = ExchangeRequest { identity: identity.clone(), ..ExchangeRequest::default() };
            let outcome = s.quietly::<Exchange>(&s.server.bearer(&token), request).await;
            let message = outcome.body["message"].as_str().unwrap_or("a token").to_owned();
            s.transcript.line(&format!("{title}: {} {message}", outcome.code));
        }
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn forged_api_tokens_are_refused() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let get = GetGroupRequest { uid: s.server.organization().to_string() };
        let genuine = admin.token.as_ref().unwrap().expose().to_owned();
        let parts: Vec<&str> = genuine.split('.').collect();
        let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(parts[1]).unwrap()).unwrap();
        let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(parts[0]).unwrap()).unwrap();
        let kid = header["kid"].as_str().unwrap();
        let keys = s.server.nobody().http(client::http::Request::get("/.well-known/jwks.json")).await.text();
        let stranger = Issuer::start(Fault::None).await;
        let upstream = s.server.mint("admin", s.server.base_url(), json!({})).await;
        let mut elsewhere = claims.clone();
        elsewhere["aud"] = json!("https://elsewhere.example");
        let forged = [
            ("genuine", genuine.clone()),
            ("empty", String::new()),
            ("not a token", "nonsense".into()),
            ("no algorithm", format!("{}.{}.", part(&json!({"alg": "none"})), parts[1])),
            ("an HMAC with the public keys", hs256(&claims, keys.as_bytes())),
            ("our key id, another's signature", stranger.sign_as(&json!({"alg": "ES256", "kid": kid}), &claims)),
            ("an unknown key id", stranger.sign_as(&json!({"alg": "ES256", "kid": "k1"}), &claims)),
            ("a token of another issuer", upstream),
            ("other claims under the signature", format!("{}.{}.{}", parts[0], part(&elsewhere), parts[2])),
            ("a very long token", format!("{genuine}{}", "x".repeat(20_000))),
        ];
        for (title, token) in forged {
            let actor = testkit::Actor {
                token: Some(Token::new(&token)),
                doors: admin.doors.with_token(Some(Token::new(&token))),
                ..admin.clone()
            };
            let outcome = s.quietly::<GetGroup>(&actor, get.clone()).await;
            let message = outcome.body["message"].as_str().unwrap_or("a group").to_owned();
            let rule = outcome.body["details"][0]["metadata"]["rule"].as_str().unwrap_or_default().to_owned();
            s.transcript.line(&format!("{title}: {} {rule} {message}", outcome.code));
        }
        s.server.clock().advance_seconds(3600);
        s.call::<GetGroup>("expired", &admin, get).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
