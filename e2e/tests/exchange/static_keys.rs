//! Workloads whose issuer this server cannot reach: their keys are pasted.

use contract::chainguard::platform::{
    iam::v2beta1::{
        CreateIdentityRequest, Identity,
        identity::{Relationship, StaticKeys},
        rpc::CreateIdentity,
    },
    oidc::{ExchangeRequest, rpc::Exchange},
};
use contract::prost_types::Timestamp;
use serde_json::json;
use testkit::{Fault, Issuer, scenario};

const NOW: i64 = 1_767_323_045;
const ISSUER: &str = "https://issuer.internal.example.com";

#[tokio::test]
async fn pasted_keys_verify_without_a_network() {
    let transcript = scenario(async |s| {
        let signer = Issuer::start(Fault::None).await;
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let robot = |keys: StaticKeys| CreateIdentityRequest {
            parent: org.clone(),
            identity: Some(Identity {
                name: "robot".into(),
                relationship: Some(Relationship::StaticKeys(keys)),
                ..Identity::default()
            }),
        };
        let keys = StaticKeys {
            issuer: ISSUER.into(),
            subject: "robot".into(),
            issuer_keys: signer.keys().to_string(),
            ..StaticKeys::default()
        };
        let identity: Identity = s.quietly::<CreateIdentity>(&admin, robot(keys.clone())).await.ok();
        let Some(Relationship::StaticKeys(stored)) = &identity.relationship else { panic!("static keys") };
        let expires = stored.expiration_time.as_ref().expect("an expiry").seconds;
        assert_eq!(expires, NOW + 365 * 24 * 3600, "a year unless said otherwise");

        let claims = json!({"iss": ISSUER, "sub": "robot", "aud": s.server.base_url(), "iat": NOW, "exp": NOW + 600});
        let attempt = async |uid: &str, token: &str| {
            let request = ExchangeRequest { identity: uid.into(), ..ExchangeRequest::default() };
            s.quietly::<Exchange>(&s.server.bearer(token), request).await.code
        };
        assert_eq!(attempt(&identity.uid, &signer.sign(&claims)).await, "OK");
        let stranger = Issuer::start(Fault::None).await;
        assert_ne!(attempt(&identity.uid, &stranger.sign(&claims)).await, "OK", "another key");
        let mut other = claims.clone();
        other["sub"] = json!("other");
        assert_ne!(attempt(&identity.uid, &signer.sign(&other)).await, "OK", "another subject");

        let soon = StaticKeys {
            expiration_time: Some(Timestamp { seconds: NOW + 60, nanos: 0 }),
            audiences: vec!["build".into()],
            ..keys.clone()
        };
        let short: Identity = s.quietly::<CreateIdentity>(&admin, robot(soon)).await.ok();
        let mut built = claims.clone();
        built["aud"] = json!("build");
        assert_eq!(attempt(&short.uid, &signer.sign(&built)).await, "OK", "its own audience");
        assert_ne!(attempt(&short.uid, &signer.sign(&claims)).await, "OK", "no longer the default audience");
        s.server.clock().advance_seconds(61);
        assert_ne!(attempt(&short.uid, &signer.sign(&built)).await, "OK", "the keys have expired");

        let admin = s.server.admin_again().await;
        let late = StaticKeys { expiration_time: Some(Timestamp { seconds: NOW + 366 * 24 * 3600, nanos: 0 }), ..keys.clone() };
        s.call::<CreateIdentity>("more than a year", &admin, robot(late)).await;
        let past = StaticKeys { expiration_time: Some(Timestamp { seconds: NOW - 60, nanos: 0 }), ..keys.clone() };
        s.call::<CreateIdentity>("already over", &admin, robot(past)).await;
        let garbage = StaticKeys { issuer_keys: "nonsense".into(), ..keys.clone() };
        s.call::<CreateIdentity>("keys that are no key set", &admin, robot(garbage)).await;
        let symmetric = json!({"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "s"}]}).to_string();
        let symmetric = StaticKeys { issuer_keys: symmetric, ..keys.clone() };
        s.call::<CreateIdentity>("a shared secret", &admin, robot(symmetric)).await;
        let two = StaticKeys { audiences: vec!["a".into(), "b".into()], ..keys };
        s.call::<CreateIdentity>("two audiences", &admin, robot(two)).await;
        let empty = StaticKeys::default();
        s.call::<CreateIdentity>("nothing at all", &admin, robot(empty)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
