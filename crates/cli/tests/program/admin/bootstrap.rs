//! The first organization, outside development mode.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{admin, audit_log};
use crate::support::{Ran, Server, Transcript, User};

const ISSUER: &str = "https://issuer.example";

fn bootstrap(data: &Path, organization: &str, subject: &str, more: &[&str]) -> Ran {
    let line = ["bootstrap", "--organization", organization, "--issuer", ISSUER, "--subject", subject];
    admin(data, &[&line, more].concat())
}

#[test]
fn before_the_first_start_and_again_beside_the_server() {
    let mut session = Transcript::default();
    let folder = TempDir::new().expect("a folder");
    let data = folder.path().join("data");
    session.add("bootstrap", &bootstrap(&data, "acme", "ada", &["--email", "ada@example.com"]));
    session.add("bootstrap again", &bootstrap(&data, "acme", "ada", &["--email", "ada@example.com"]));
    let alone = bootstrap(&data, "acme", "ada", &["-o", "id"]);
    let server = Server::plain(&data);
    let beside = bootstrap(&data, "acme", "ada", &["-o", "id"]);
    assert_eq!((beside.code, &beside.stdout), (0, &alone.stdout), "{}", beside.stderr);
    session.add("bootstrap beside a server", &bootstrap(&data, "acme", "ada", &[]));
    session.add("bootstrap for somebody else", &bootstrap(&data, "acme", "bob", &[]));
    session.add("bootstrap of nonsense", &bootstrap(&data, "Acme!", "", &["--email", "none"]));
    let second = bootstrap(&data, "second", "ada", &["-o", "id"]).stdout;
    assert_ne!(second, alone.stdout);

    let token = admin(&data, &["token"]).stdout;
    let operator = User::with_token(&server, token.trim());
    let listed = operator.done(&["iam", "organizations", "list", "-o", "id"]);
    assert_eq!(listed.lines().count(), 2, "{listed}");
    let owners = operator.json(&["iam", "role-bindings", "list"]);
    assert_eq!(owners["items"].as_array().map(Vec::len), Some(2));
    drop(server);
    let entries = audit_log(&data);
    let mine: Vec<_> = entries.iter().filter(|entry| entry.method == "admin bootstrap").collect();
    assert_eq!(mine.len(), 2, "what was there already left no trace");
    assert!(mine.iter().all(|entry| entry.upstream.as_ref().is_some_and(|upstream| upstream.iss == "provost:os")));
    session.check("admin_bootstrap");
}

#[test]
fn without_its_database_there_is_no_beginning() {
    let folder = TempDir::new().expect("a folder");
    let key = folder.path().join("the-key").display().to_string();
    let away = ["--database", "postgres://u@127.0.0.1:1/p?sslmode=disable", "--key-file", &key];
    let ran = bootstrap(&folder.path().join("data"), "acme", "ada", &away);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.starts_with("error: cannot use the database 127.0.0.1:1/p: error connecting"), "{}", ran.stderr);
}

#[test]
fn another_user_s_folder_is_left_alone() {
    if std::fs::metadata("/proc/self").map(|me| std::os::unix::fs::MetadataExt::uid(&me)).ok() != Some(0) {
        assert!(std::env::var_os("PROVOST_TEST_REQUIRE").is_none(), "only root can give a folder away");
        eprintln!("SKIPPED: folders of other users were not tested: only root can give a folder away");
        return;
    }
    let data = TempDir::new().expect("a folder");
    std::os::unix::fs::chown(data.path(), Some(65534), None).expect("given away");
    let ran = bootstrap(data.path(), "acme", "ada", &[]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("belongs to user 65534"), "{}", ran.stderr);
    assert_eq!(std::fs::read_dir(data.path()).expect("a folder").count(), 0, "nothing was made");
}

/// From nothing to a user who works: a server outside development mode, and an identity provider with https.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_owner_logs_in_with_a_token_of_the_issuer() {
    let (issuer, certificate) = testkit::Issuer::start_https().await;
    let folder = TempDir::new().expect("a folder");
    let (data, trusted) = (folder.path().join("data"), folder.path().join("trusted.pem"));
    std::fs::write(&trusted, certificate).expect("written");
    let bootstrap = |more: &[&str]| {
        let line = ["bootstrap", "--organization", "acme", "--issuer", &issuer.url, "--subject", "ada"];
        admin(&data, &[&line, more].concat())
    };
    let told: Value = serde_json::from_str(&bootstrap(&["-o", "json"]).stdout).expect("JSON");

    let server = Server::believing(&data, &issuer.url, &trusted);
    let known = bootstrap(&[]);
    assert!(!known.stderr.contains("--identity-provider"), "the server accepts the issuer: {}", known.stderr);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time").as_secs();
    let token =
        |subject: &str| issuer.sign(&json!({"iss": issuer.url, "sub": subject, "aud": server.url, "iat": now, "exp": now + 300}));
    let user = User::of(&server);
    let login = user.run(&["auth", "login", "--identity-token", &token("ada")]);
    assert_eq!(login.code, 0, "{}", login.stderr);
    let organization = told["organization"]["id"].as_str().expect("a UID");
    assert_eq!(user.done(&["iam", "organizations", "list", "-o", "id"]).trim(), organization);
    user.id(&["iam", "folders", "create", "team", "--parent", organization]);
    let stranger = User::of(&server).run(&["auth", "login", "--identity-token", &token("eve")]);
    assert_eq!(stranger.code, 5, "{}", stranger.stderr);
}
