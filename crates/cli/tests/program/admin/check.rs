//! Whether the database agrees with itself, by the program.

use std::collections::BTreeMap;

use serde_json::Value;
use tempfile::TempDir;

use super::admin;
use crate::support::{PROVOST, Server, User, finish};

#[test]
fn a_whole_database_is_checked_beside_its_server_and_alone() {
    let data = TempDir::new().expect("a folder");
    let missing = admin(data.path(), &["check"]);
    assert_eq!(missing.code, 5, "{}", missing.stderr);
    assert!(missing.stderr.contains("there is no database yet"), "{}", missing.stderr);
    assert_eq!(std::fs::read_dir(data.path()).expect("a folder").count(), 0, "nothing was made");

    let mut server = Server::start(data.path());
    let beside = admin(data.path(), &["check", "-o", "json"]);
    assert_eq!((beside.code, beside.stderr.as_str()), (0, ""));
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    std::fs::remove_file(data.path().join("key")).expect("the key is not needed");
    let alone = admin(data.path(), &["check", "-o", "json"]);
    assert_eq!((alone.code, alone.stderr.as_str()), (0, ""));
    for ran in [beside, alone] {
        let told: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert!(told["engine"].is_string() && told["findings"] == Value::Array(Vec::new()), "{told}");
        assert!(told["rules"].as_u64() > Some(60) && told["revision"].as_u64() > Some(0), "{told}");
    }
    assert!(!data.path().join("key").exists(), "none was made");
    let table = admin(data.path(), &["check"]);
    assert!(table.stdout.contains("findings: 0"), "{}", table.stdout);
    assert_eq!(admin(data.path(), &["check", "-o", "id"]).stdout, "");
}

/// What a crash has left is evidence until a server starts.
#[test]
fn a_crashed_database_is_checked_and_left_as_it_is() {
    let data = TempDir::new().expect("a folder");
    Server::start(data.path()).kill();
    let files = || {
        let entries = std::fs::read_dir(data.path()).expect("a folder").map(|entry| entry.expect("an entry").path());
        let files = entries.filter(|path| path.is_file());
        files.map(|path| (path.clone(), std::fs::read(path).expect("read"))).collect::<BTreeMap<_, _>>()
    };
    let before = files();
    let ran = admin(data.path(), &["check"]);
    assert!(ran.code == 0 && ran.stdout.contains("findings: 0"), "{}", ran.stderr);
    assert!(files() == before, "a file was made or altered");
}

#[test]
fn findings_are_told_and_end_with_their_own_code() {
    let Some(cluster) = pgcluster::shared() else { return };
    let (database, data) = (cluster.database(), TempDir::new().expect("a folder"));
    let (url, key) = (database.url(), data.path().join("key"));
    let _server = Server::on_postgres(data.path(), &url, &key, None);
    database.sql("UPDATE counts SET n = n + 5 WHERE noun = 'role' AND prefix = '/'");
    let other = TempDir::new().expect("a folder");
    let beside_nodes = |line: &[&str]| {
        let user = User::nowhere();
        let mut command = user.command(PROVOST);
        command.args(["admin", "check"]).args(line).arg("--data").arg(other.path());
        command.arg("--key-file").arg(&key).env("PROVOST_DATABASE", &url);
        finish(&mut command, "")
    };
    let ran = admin(data.path(), &["check"]);
    assert_eq!(ran.code, 9, "{}", ran.stderr);
    assert!(ran.stdout.contains("findings: 1") && ran.stdout.contains("| counts / | the counter of roles is "), "{}", ran.stdout);
    assert!(ran.stderr.contains("the database is inconsistent: 1 finding"), "{}", ran.stderr);
    assert!(ran.stderr.contains("amcheck is not installed"), "{}", ran.stderr);
    let ran = beside_nodes(&["-o", "json"]);
    assert_eq!(ran.code, 9, "{}", ran.stderr);
    let told: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let found = &told["findings"][0];
    assert_eq!((&found["check"], &found["place"]), (&Value::from("counters"), &Value::from("counts /")));
    assert_eq!(beside_nodes(&["-o", "id"]).stdout, "counts /\n");
}
