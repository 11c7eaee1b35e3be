//! What operators do: beside the server, and on its folder alone.

use std::{
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    sync::Arc,
};

use server::{SystemClock, SystemEntropy};
use store::{AuditEntry, Store, audit};
use tempfile::TempDir;

use crate::{
    engine,
    support::{Ran, Server, User},
};

mod backup;
mod bootstrap;
mod check;
mod keys;
mod nodes;
mod trust;

/// Runs `provost admin LINE --data DATA`.
fn admin(data: &Path, line: &[&str]) -> Ran {
    User::nowhere().run_on(data, &[&["admin"], line].concat())
}

fn admin_token(data: &Path, more: &[&str]) -> Ran {
    admin(data, &[&["token"], more].concat())
}

#[tokio::main]
async fn audit_log(data: &Path) -> Vec<AuditEntry> {
    let store = Store::open(&engine::store_config(data), Arc::new(SystemClock), Arc::new(SystemEntropy::default()))
        .await
        .expect("the folder is free");
    let mut reader = store.reader().await.expect("a snapshot");
    let entries = audit::newest(&mut reader, 100).await.expect("the log");
    drop(reader);
    store.close().await;
    entries
}

#[test]
fn beside_a_running_server() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let socket = std::fs::metadata(data.path().join("admin.sock")).expect("a socket");
    assert_eq!(socket.permissions().mode() & 0o777, 0o600);
    let ran = admin_token(data.path(), &["--ttl", "10m"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout.lines().count(), 1, "the token alone");
    let operator = User::with_token(&server, ran.stdout.trim());
    // Operators see what is not theirs, and hold what nobody gave them.
    let organization = operator.id(&["iam", "organizations", "create", "made-by-an-operator"]);
    let listed = operator.done(&["iam", "organizations", "list", "-o", "id"]);
    assert!(listed.contains(&organization) && listed.contains(&server.organization), "{listed}");
    let status = operator.done(&["auth", "status"]);
    assert!(status.contains("operator: true") && status.contains("operator: may do everything"), "{status}");
    assert_eq!(operator.json(&["auth", "status"])["operator"], true);
}

#[test]
fn alone_on_the_folder() {
    let data = TempDir::new().expect("a folder");
    let mut server = Server::start(data.path());
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    assert!(!data.path().join("admin.sock").exists(), "the socket goes with the server");
    let ran = admin_token(data.path(), &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let entries = audit_log(data.path());
    let entry = entries.iter().find(|entry| entry.method == "admin token").expect("an audit row");
    let me = std::fs::metadata(data.path()).expect("a folder").uid().to_string();
    assert_eq!(entry.upstream.as_ref().map(|upstream| upstream.sub.clone()), Some(me), "the user who asked is kept");

    let server = Server::start_at(data.path(), server.listen());
    let operator = User::with_token(&server, ran.stdout.trim());
    assert!(operator.done(&["iam", "organizations", "list", "-o", "id"]).contains(&server.organization));
}

#[test]
fn after_a_crash_the_dead_socket_is_no_obstacle() {
    let data = TempDir::new().expect("a folder");
    let mut server = Server::start(data.path());
    server.kill();
    assert!(data.path().join("admin.sock").exists());
    assert_eq!(admin_token(data.path(), &[]).code, 0);
    let server = Server::start_at(data.path(), server.listen());
    assert_eq!(admin_token(data.path(), &[]).code, 0);
    drop(server);
}

#[test]
fn what_cannot_be() {
    let empty = TempDir::new().expect("a folder");
    let ran = admin_token(&empty.path().join("nothing"), &[]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    // The database elsewhere may be that of other nodes, but nothing goes without their key.
    let why = if engine::is_postgres() { "there is no key file" } else { "no server has ever run on" };
    assert!(ran.stderr.contains(why), "{}", ran.stderr);
    assert!(!empty.path().join("nothing").exists(), "nothing was made");
    let data = TempDir::new().expect("a folder");
    let _server = Server::start(data.path());
    for ttl in ["2h", "0s", "61m"] {
        let ran = admin_token(data.path(), &["--ttl", ttl]);
        assert_ne!(ran.code, 0, "{ttl}");
        assert!(ran.stderr.contains("ttl must be between"), "{ttl}: {}", ran.stderr);
    }
    let ran = admin_token(data.path(), &["--ttl", "soon"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}
