//! Signing keys in rotation.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::{admin, audit_log};
use crate::support::{Server, User};

fn keys(data: &Path, line: &[&str]) -> Vec<(String, String)> {
    let ran = admin(data, &[line, &["-o", "json"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let told: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let text = |key: &Value, name| key.get(name).and_then(Value::as_str).expect("text").to_owned();
    let items = told.get("items").and_then(Value::as_array).expect("keys");
    items.iter().map(|key| (text(key, "id"), text(key, "state"))).collect()
}

async fn published(server: &Server) -> Vec<String> {
    let http = client::http::Http::new(&server.url, None).expect("a client");
    let answer = http.send(client::http::Request::get("/.well-known/jwks.json")).await.expect("an answer").json();
    let keys = answer.get("keys").and_then(Value::as_array).expect("keys");
    keys.iter().map(|key| key.get("kid").and_then(Value::as_str).expect("a kid").to_owned()).collect()
}

#[tokio::test]
async fn keys_rotate_beside_a_server_and_alone() {
    let data = TempDir::new().expect("a folder");
    let mut server = Server::start(data.path());
    let first = keys(data.path(), &["keys"]);
    assert_eq!(first.iter().map(|(_, state)| state.as_str()).collect::<Vec<_>>(), ["signs"]);
    let csv = admin(data.path(), &["keys", "-o", "csv"]);
    let (head, row) = csv.stdout.split_once("\r\n").expect("a first line");
    assert_eq!((csv.code, head), (0, "id,state,signs_from,signs_until,published_until"), "{}", csv.stderr);
    // Before one that begins with a minus, CSV has what keeps spreadsheets from computing it.
    assert!(row.trim_start_matches('\'').starts_with(&first[0].0), "{row}");
    let operator = User::with_token(&server, admin(data.path(), &["token"]).stdout.trim());

    let rotated = keys(data.path(), &["rotate-keys"]);
    assert_eq!(rotated.iter().map(|(_, state)| state.as_str()).collect::<Vec<_>>(), ["next", "signs"]);
    assert_eq!(rotated[1].0, first[0].0);
    assert_eq!(published(&server).await, rotated.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>());
    operator.done(&["iam", "organizations", "list"]);
    let again = admin(data.path(), &["rotate-keys"]);
    assert_eq!(again.code, 6, "{}", again.stderr);
    assert!(again.stderr.contains("waits for its time"), "{}", again.stderr);

    let ran = admin(data.path(), &["rotate-keys", "--now"]);
    assert_eq!(ran.code, 2, "it asks first: {}", ran.stderr);
    let urgent = keys(data.path(), &["rotate-keys", "--now", "-y"]);
    assert_eq!(urgent.iter().map(|(_, state)| state.as_str()).collect::<Vec<_>>(), ["signs"]);
    assert_eq!(operator.run(&["iam", "organizations", "list"]).code, 3, "its token went with the key");

    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let alone = keys(data.path(), &["rotate-keys"]);
    assert_eq!(alone.iter().map(|(_, state)| state.as_str()).collect::<Vec<_>>(), ["next", "signs"]);
    let server = Server::start_at(data.path(), server.listen());
    assert_eq!(published(&server).await, alone.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>());
    drop(server);
    let rotations = tokio::task::spawn_blocking(move || audit_log(data.path())).await.expect("the log");
    assert_eq!(rotations.iter().filter(|entry| entry.method == "admin rotate-keys").count(), 3);
}
