//! What the key file vouches for, and another key file.
#![expect(clippy::indexing_slicing, reason = "the values of JSON are there")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use tempfile::TempDir;

use super::{admin, audit_log};
use crate::support::{Server, User};

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

fn json(data: &Path, line: &[&str]) -> Value {
    let ran = admin(data, &[line, &["-o", "json"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// Nothing is found, and everything was looked at.
fn is_whole(data: &Path) {
    let told = json(data, &["check"]);
    let codes = told["remarks"].as_array().expect("remarks").iter().filter(|remark| remark.to_string().contains("codes"));
    assert_eq!((&told["findings"], codes.count()), (&Value::Array(Vec::new()), 0), "{told:#}");
}

fn old_keys(data: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(data).expect("a folder").map(|entry| entry.expect("an entry").path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "old")).collect()
}

fn change_key(data: &Path) {
    let next = data.join("key.next");
    let prepared = json(data, &["rekey", "--prepare"]);
    assert_eq!(prepared["file"], text(&next));
    let key = fs::read(&next).expect("the next key");
    let rekeyed = json(data, &["rekey", "-y"]);
    assert_eq!((&rekeyed["key"], fs::read(data.join("key")).expect("the key")), (&prepared["key"], key));
    assert!(!next.exists());
}

#[test]
fn the_key_is_changed_beside_a_server_and_alone() {
    let (data, place) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let mut server = Server::start(data.path());
    let user = User::admin(&server);
    let file = place.path().join("before.backup");
    assert_eq!(admin(data.path(), &["backup", text(&file)]).code, 0);
    let first = fs::read(data.path().join("key")).expect("the key");
    let operator = User::with_token(&server, admin(data.path(), &["token"]).stdout.trim());

    let asked = admin(data.path(), &["rekey"]);
    assert!(asked.code == 2 && asked.stderr.contains("people have to log in again"), "{}", asked.stderr);
    change_key(data.path());
    let old = old_keys(data.path());
    assert_eq!(old.iter().map(|path| fs::read(path).expect("read")).collect::<Vec<_>>(), [first]);
    user.id(&["iam", "folders", "create", "after", "--parent", &server.organization]);
    operator.done(&["iam", "organizations", "list"]);
    is_whole(data.path());

    // A backup of before belongs to the key of before.
    let to = TempDir::new().expect("a folder");
    fs::copy(data.path().join("key"), to.path().join("key")).expect("copied");
    let refused = admin(to.path(), &["restore", text(&file)]);
    assert_eq!(refused.code, 6, "{}", refused.stderr);
    assert_eq!(admin(to.path(), &["restore", text(&file), "--key-file", text(&old[0])]).code, 0);

    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    change_key(data.path());
    assert_eq!(old_keys(data.path()).len(), 2);
    // The new key vouches for all that the old ones have.
    for path in old_keys(data.path()) {
        fs::remove_file(path).expect("removed");
    }
    let told = json(data.path(), &["check"]);
    assert!(
        told["findings"] == Value::Array(Vec::new()) && !told["remarks"].to_string().contains("by a key of before"),
        "{told:#}"
    );
    let server = Server::start_at(data.path(), server.listen());
    operator.done(&["iam", "organizations", "list"]);
    drop(server);
    let log = audit_log(data.path());
    assert_eq!(log.iter().filter(|entry| entry.method == "change key-encryption key").count(), 2);
}

#[test]
fn a_head_that_was_kept_is_looked_for() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let head = json(data.path(), &["check"])["head"].as_str().expect("a head").to_owned();
    assert_eq!(head.len(), 64);
    User::admin(&server).id(&["iam", "folders", "create", "later", "--parent", &server.organization]);
    for kept in [&head, &head[..13]] {
        assert_eq!(admin(data.path(), &["check", "--head", kept]).code, 0, "{kept}");
    }
    let gone = admin(data.path(), &["check", "--head", "0123456789abcdef"]);
    assert_eq!(gone.code, 9, "{}", gone.stderr);
    assert!(gone.stdout.contains("no entry has the code 0123456789abcdef: the log was cut off"), "{}", gone.stdout);
    let none = admin(data.path(), &["check", "--head", "yesterday"]);
    assert!(none.code == 2 && none.stderr.contains("12 to 64 hexadecimal digits"), "{}", none.stderr);
}

#[test]
fn everything_is_vouched_for_as_it_is() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let asked = admin(data.path(), &["seal"]);
    assert!(asked.code == 2 && asked.stderr.contains("believed from then on"), "{}", asked.stderr);
    let sealed = json(data.path(), &["seal", "-y"]);
    assert!(sealed["entries"].as_u64() > Some(0) && sealed["rights"] == 0 && sealed["head"].is_string(), "{sealed}");
    User::admin(&server).id(&["iam", "folders", "create", "later", "--parent", &server.organization]);
    is_whole(data.path());
    drop(server);
    assert!(audit_log(data.path()).iter().any(|entry| entry.method == "seal audit log" && entry.upstream.is_some()));
}

/// Somebody who has no key has made it, or an older program.
#[test]
fn a_backup_without_a_code_is_believed_when_that_is_wished_for() {
    let (data, to) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let mut server = Server::start(data.path());
    let file = to.path().join("file");
    assert_eq!(admin(data.path(), &["backup", text(&file)]).code, 0);
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let bytes = fs::read(&file).expect("read");
    let (content, end) = bytes.split_at(bytes.len() - 178);
    let checksum = &end[..77];
    fs::write(&file, [content, checksum, b"}\n"].concat()).expect("written");
    fs::copy(data.path().join("key"), to.path().join("key")).expect("copied");
    let refused = admin(to.path(), &["restore", text(&file)]);
    assert_eq!(refused.code, 6, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("this backup has no code") && refused.stderr.contains("--trust-unsigned"),
        "{}",
        refused.stderr
    );
    let restored = admin(to.path(), &["restore", text(&file), "--trust-unsigned"]);
    assert_eq!(restored.code, 0, "{}", restored.stderr);
    is_whole(to.path());
    let server = Server::start_at(to.path(), server.listen());
    User::with_token(&server, admin(to.path(), &["token"]).stdout.trim()).done(&["iam", "organizations", "list"]);
    is_whole(to.path());
}
