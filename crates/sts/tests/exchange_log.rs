//! What an exchange leaves in the log. A binary of its own: `tracing` remembers for the whole process who listens, and
//! other tests' threads would decide that nobody does.
#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

mod support;

use std::{
    io,
    sync::{Arc, Mutex},
};

use base64::{Engine, engine::general_purpose::URL_SAFE};
use domain::{
    Uidp,
    iam::identity::{AwsIdentity, Matcher, Relationship},
};
use serde_json::{Value, json};
use sts::Settings;
use support::{
    p256,
    upstream::{changed, fitting, issuer, settings, sign},
    world::{US, World, claim_match, target},
};
use wiremock::{Mock, MockServer, ResponseTemplate, matchers::method};

/// Collects what is logged on this thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("a log").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const ARN: &str = "arn:aws:sts::123456789012:assumed-role/deploy/robot";
/// Of a request to AWS, it is what proves who has signed it.
const SIGNATURE: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// AWS, which names the same principal whatever it is sent.
async fn aws() -> MockServer {
    let server = MockServer::start().await;
    let result = json!({"Account": "123456789012", "Arn": ARN, "UserId": "AROA:robot"});
    let answer = json!({"GetCallerIdentityResponse": {"GetCallerIdentityResult": result}});
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(200).set_body_json(answer)).mount(&server).await;
    server
}

/// A request to AWS for this identity.
fn request(identity: &Uidp) -> String {
    format!(
        "POST /?Action=GetCallerIdentity&Version=2011-06-15 HTTP/1.1\r\nHost: sts.amazonaws.com\r\n\
         Authorization: AWS4-HMAC-SHA256 Credential=AKID/20270115/us-east-1/sts/aws4_request, \
         SignedHeaders=chainguard-audience;chainguard-identity;host;x-amz-date, Signature={SIGNATURE}\r\n\
         Chainguard-Audience: {US}\r\nChainguard-Identity: {identity}\r\nX-Amz-Date: 20270115T080000Z\r\n\r\n"
    )
}

#[tokio::test]
async fn every_exchange_is_one_event_without_secrets() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().json().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone()).finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let aws = aws().await;
    let (world, key) = (World::new(Settings { aws_sts_url: aws.uri(), ..settings() }).await, p256());
    let server = issuer(&key).await;
    let identity = world.identity(claim_match(&server.uri(), "s")).await;
    let (good, bad) = (sign(&key, &fitting(&server.uri())), sign(&key, &changed(&fitting(&server.uri()), "sub", json!("t"))));
    let issued = world.exchange(&good, target(&identity)).await.expect("a token");
    world.exchange(&bad, target(&identity)).await.expect_err("refused");
    world.exchange("no token", target(&identity)).await.expect_err("refused");
    let relationship = AwsIdentity {
        account: "123456789012".to_owned(),
        arn: Matcher::Literal(ARN.to_owned()),
        user_id: Matcher::Pattern("AROA:.*".to_owned()),
    };
    let instance = world.identity(Relationship::AwsIdentity(relationship)).await;
    let signed = URL_SAFE.encode(request(&instance));
    let of_instance = world.exchange(&signed, target(&instance)).await.expect("a token");
    drop(guard);
    let text = String::from_utf8(log.0.lock().expect("a log").clone()).expect("UTF-8");
    for secret in [good.as_str(), bad.as_str(), issued.token.expose()] {
        for part in secret.split('.').skip(1) {
            assert!(!text.contains(part), "a token is in the log");
        }
    }
    for secret in [signed.as_str(), SIGNATURE, "AKID"] {
        assert!(!text.contains(secret), "a signed request is in the log");
    }
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let fields: Vec<_> =
        events.into_iter().filter(|event| event["target"] == "exchange").map(|mut event| event["fields"].take()).collect();
    assert_eq!(fields.len(), 4);
    for (name, value) in [
        ("outcome", json!("OK")),
        ("identity", json!(identity.to_string())),
        ("issuer", json!(server.uri())),
        ("key_id", json!("k")),
        ("keys_from", json!("fetched")),
        ("algorithm", json!("ES256")),
        ("subject", json!("s")),
        ("token_id", json!(issued.token_id)),
    ] {
        assert_eq!(fields[0][name], value, "{name}");
    }
    assert_eq!((&fields[1]["outcome"], &fields[1]["mismatch"]), (&json!("CLAIM_MISMATCH"), &json!("sub")));
    assert_eq!(fields[1]["keys_from"], "cached");
    for (name, value) in [
        ("outcome", json!("OK")),
        ("identity", json!(instance.to_string())),
        ("issuer", json!("https://sts.amazonaws.com")),
        ("keys_from", json!("aws")),
        ("subject", json!(ARN)),
        ("token_id", json!(of_instance.token_id)),
    ] {
        assert_eq!(fields[3][name], value, "{name}");
    }
    assert_eq!((&fields[2]["outcome"], fields[2].get("issuer")), (&json!("TOKEN_INVALID"), None));
}
