//! Two servers on one PostgreSQL database, and the way there from SQLite and back.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

use super::admin;
use crate::{
    engine,
    support::{PROVOST, Ran, Server, User, finish},
};

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// `provost admin LINE` with the settings of a server on this database.
fn admin_at(data: &Path, url: &str, key: &Path, line: &[&str]) -> Ran {
    let user = User::nowhere();
    let mut command = user.command(PROVOST);
    command.arg("admin").args(line).arg("--data").arg(data).arg("--key-file").arg(key).env("PROVOST_DATABASE", url);
    finish(&mut command, "")
}

fn key_set(server: &Server) -> Value {
    let output = std::process::Command::new("curl").args(["-sS", &format!("{}/.well-known/jwks.json", server.url)]).output();
    serde_json::from_slice(&output.expect("curl runs").stdout).expect("JSON")
}

fn organizations(server: &Server, token: &str) -> Ran {
    User::with_token(server, token).run(&["iam", "organizations", "list", "-o", "id"])
}

#[test]
fn both_nodes_follow_a_rotation() {
    let Some(cluster) = pgcluster::shared() else { return };
    let (database, folder) = (cluster.database(), TempDir::new().expect("a folder"));
    let (url, key) = (database.url(), folder.path().join("the-key"));
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    let line = ["bootstrap", "--organization", "acme", "--issuer", "https://issuer.example", "--subject", "ada", "-o", "id"];
    let made = admin_at(&one, &url, &key, &line);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let organization = made.stdout;
    let first = Server::on_postgres(&one, &url, &key, None);
    let second = Server::on_postgres(&other, &url, &key, Some(&first));
    let token = |data: &Path| admin(data, &["token"]).stdout.trim().to_owned();
    let works = |token: &str| {
        for server in [&first, &second] {
            let ran = organizations(server, token);
            assert_eq!((ran.code, &ran.stdout), (0, &organization), "{}", ran.stderr);
        }
    };
    assert_eq!(key_set(&first), key_set(&second));
    let old = token(&one);
    works(&old);

    // Planned: the other node publishes the new key within its period, and nobody notices.
    assert_eq!(admin(&one, &["rotate-keys"]).code, 0);
    let begin = Instant::now();
    while key_set(&first) != key_set(&second) {
        assert!(begin.elapsed() < Duration::from_secs(30), "the other node does not read the keys again");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(key_set(&second)["keys"].as_array().map(Vec::len), Some(2));
    works(&old);
    works(&token(&other));

    // Urgent: the first token of the new key brings the other node up to date at once.
    assert_eq!(admin(&one, &["rotate-keys", "--now", "-y"]).code, 0);
    let new = token(&one);
    let ran = organizations(&second, &new);
    assert_eq!((ran.code, &ran.stdout), (0, &organization), "{}", ran.stderr);
    assert_eq!(key_set(&first), key_set(&second));
    for server in [&first, &second] {
        assert_eq!(organizations(server, &old).code, 3, "the old key is gone");
    }
    works(&token(&other));
}

/// Wherever they run, and whatever data folder the command is given.
#[test]
fn a_restore_waits_for_no_node_and_spares_none() {
    let Some(cluster) = pgcluster::shared() else { return };
    let (database, folder) = (cluster.database(), TempDir::new().expect("a folder"));
    let (url, key, file) = (database.url(), folder.path().join("the-key"), folder.path().join("backup"));
    let (one, other, third) = (folder.path().join("one"), folder.path().join("other"), folder.path().join("third"));
    let line = ["bootstrap", "--organization", "acme", "--issuer", "https://issuer.example", "--subject", "ada", "-o", "id"];
    let made = admin_at(&one, &url, &key, &line);
    let mut first = Server::on_postgres(&one, &url, &key, None);
    let mut second = Server::on_postgres(&other, &url, &key, Some(&first));
    assert_eq!(admin(&one, &["backup", text(&file)]).code, 0);
    let restore = || admin_at(&third, &url, &key, &["restore", text(&file), "--replace", "-y"]);
    for nodes in ["2", "1"] {
        let refused = restore();
        assert_eq!(refused.code, 6, "{}", refused.stderr);
        let told = format!("{nodes} of this database's servers or commands have it open");
        assert!(refused.stderr.contains(&told) && refused.stderr.contains("stop every server of it first"), "{}", refused.stderr);
        // Commands that work on the database itself go on beside nodes.
        let again = admin_at(&third, &url, &key, &line);
        assert_eq!((again.code, &again.stdout), (0, &made.stdout), "{}", again.stderr);
        let stopped = if nodes == "2" { &mut second } else { &mut first };
        stopped.signal("TERM");
        assert_eq!(stopped.wait(), Some(0));
    }
    let restored = restore();
    assert_eq!(restored.code, 0, "{}", restored.stderr);
    let server = Server::on_postgres(&one, &url, &key, None);
    assert_eq!(organizations(&server, admin(&one, &["token"]).stdout.trim()).stdout, made.stdout);
}

#[test]
fn data_moves_from_sqlite_to_postgresql_and_back() {
    if engine::is_postgres() {
        // Begins and ends on SQLite, so that the run on SQLite has it.
        return;
    }
    let Some(cluster) = pgcluster::shared() else { return };
    let (database, folder) = (cluster.database(), TempDir::new().expect("a folder"));
    let (sqlite, node, back) = (folder.path().join("sqlite"), folder.path().join("node"), folder.path().join("back"));
    let (url, key, file) = (database.url(), sqlite.join("key"), folder.path().join("backup"));
    let server = Server::start(&sqlite);
    let user = User::admin(&server);
    user.id(&["iam", "folders", "create", "team", "--parent", &server.organization]);
    assert_eq!(admin(&sqlite, &["backup", text(&file)]).code, 0);
    drop(server);

    let restored = admin_at(&node, &url, &key, &["restore", text(&file)]);
    assert_eq!(restored.code, 0, "{}", restored.stderr);
    let lists = |data: &Path, server: &Server| {
        let user = User::with_token(server, admin(data, &["token"]).stdout.trim());
        ["organizations", "folders", "identities", "role-bindings"].map(|noun| user.json(&["iam", noun, "list"]))
    };
    let server = Server::on_postgres(&node, &url, &key, None);
    let moved = lists(&node, &server);
    assert_eq!(moved[1]["items"][0]["name"], "team");
    let again = folder.path().join("again");
    let ran = admin(&node, &["backup", text(&again)]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(fs::read(&again).expect("read").starts_with(br#"{"provost_backup":1,"schema":"#));
    drop(server);

    assert_eq!(admin(&back, &["restore", text(&again), "--key-file", text(&key)]).code, 0);
    fs::copy(&key, back.join("key")).expect("copied");
    let server = Server::plain(&back);
    assert_eq!(lists(&back, &server), moved);
}
