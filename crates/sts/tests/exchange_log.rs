//! What an exchange leaves in the log. A binary of its own: `tracing` remembers for the whole process who listens, and
//! other tests' threads would decide that nobody does.
#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

mod support;

use std::{
    io,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use support::{
    p256,
    upstream::{changed, fitting, issuer, settings, sign},
    world::{World, claim_match, target},
};

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

#[tokio::test]
async fn every_exchange_is_one_event_without_secrets() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().json().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone()).finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let (world, key) = (World::new(settings()).await, p256());
    let server = issuer(&key).await;
    let identity = world.identity(claim_match(&server.uri(), "s")).await;
    let (good, bad) = (sign(&key, &fitting(&server.uri())), sign(&key, &changed(&fitting(&server.uri()), "sub", json!("t"))));
    let issued = world.exchange(&good, target(&identity)).await.expect("a token");
    world.exchange(&bad, target(&identity)).await.expect_err("refused");
    world.exchange("no token", target(&identity)).await.expect_err("refused");
    drop(guard);
    let text = String::from_utf8(log.0.lock().expect("a log").clone()).expect("UTF-8");
    for secret in [good.as_str(), bad.as_str(), issued.token.expose()] {
        for part in secret.split('.').skip(1) {
            assert!(!text.contains(part), "a token is in the log");
        }
    }
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let fields: Vec<_> =
        events.into_iter().filter(|event| event["target"] == "exchange").map(|mut event| event["fields"].take()).collect();
    assert_eq!(fields.len(), 3);
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
    assert_eq!((&fields[2]["outcome"], fields[2].get("issuer")), (&json!("TOKEN_INVALID"), None));
}
