//! Backups and restores by the program.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

use super::{admin, audit_log};
use crate::{
    engine,
    support::{PROVOST, Ran, Server, User, finish},
};

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name().display().to_string()).collect();
    names.sort();
    names
}

/// A data folder with the key of another one and nothing else.
fn with_key_of(data: &Path) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fs::copy(data.join("key"), folder.path().join("key")).expect("the key is copied");
    folder
}

fn lists(user: &User) -> Vec<Value> {
    [["iam", "organizations"], ["iam", "folders"], ["iam", "identities"], ["iam", "roles"], ["iam", "role-bindings"]]
        .iter()
        .map(|noun| user.json(&[&noun[..], &["list"]].concat()))
        .collect()
}

#[test]
fn a_backup_of_a_running_server_is_restored_elsewhere() {
    let data = TempDir::new().expect("a folder");
    let place = TempDir::new().expect("a folder");
    let mut server = Server::start(data.path());
    let user = User::admin(&server);
    user.id(&["iam", "folders", "create", "team", "--parent", &server.organization]);
    let before = lists(&user);

    let file = place.path().join("provost.backup");
    let ran = admin(data.path(), &["backup", text(&file), "-o", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("key is NOT in the backup"), "{}", ran.stderr);
    let told: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(told["contents"]["rows"]["groups"], 2);
    assert_eq!(told["bytes"], fs::metadata(&file).expect("a file").len());
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    assert_eq!(files(place.path()), ["provost.backup"]);

    // What comes later is not in it; the same name is only used again when that is wished for.
    user.id(&["iam", "folders", "create", "later", "--parent", &server.organization]);
    let again = admin(data.path(), &["backup", text(&file)]);
    assert_eq!(again.code, 2, "{}", again.stderr);
    assert!(again.stderr.contains("will not replace"), "{}", again.stderr);
    let to = with_key_of(data.path());
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));

    let ran = admin(to.path(), &["restore", text(&file)]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let full = admin(to.path(), &["restore", text(&file)]);
    assert_eq!(full.code, 6, "{}", full.stderr);
    assert!(full.stderr.contains("the database already contains data") && full.stderr.contains("--replace"), "{}", full.stderr);
    let server = Server::start_at(to.path(), server.listen());
    let refused = user.run(&["iam", "folders", "list"]);
    assert!(refused.code == 3 && refused.stderr.contains("log in"), "no token of before is good: {}", refused.stderr);
    user.login(&server, "admin", Some(&server.identity));
    assert_eq!(lists(&user), before, "the lists are what they were");
    user.id(&["iam", "folders", "create", "after", "--parent", &server.organization]);
    drop(server);
    let log = audit_log(to.path());
    assert!(log.iter().any(|entry| entry.method == "admin restore"));
    assert!(audit_log(data.path()).iter().any(|entry| entry.method == "admin backup"));

    let replaced = admin(to.path(), &["restore", text(&file), "--replace", "-y"]);
    assert_eq!(replaced.code, 0, "{}", replaced.stderr);
}

/// What was revoked after a backup stays so after its restore, though the database knows nothing of it any more.
#[test]
fn a_token_that_was_revoked_stays_revoked_after_a_restore() {
    let (data, place) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let mut server = Server::start(data.path());
    let owner = User::admin(&server);
    let (issuer, org) = (format!("{}/dev/idp", server.url), server.organization.clone());
    let create = ["iam", "identities", "create", "ci", "--parent", &org, "--identity-issuer", &issuer, "--subject", "old"];
    let robot = owner.id(&[&create[..], &["--role", "viewer"]].concat());
    let update = |subject: &str| {
        owner.done(&["iam", "identities", "update", &robot, "--identity-issuer", &issuer, "--subject", subject]);
    };
    let become_robot = |subject: &str| {
        let user = User::of(&server);
        assert_eq!(user.login(&server, subject, Some(&robot)).code, 0);
        user
    };
    let sees = |user: &User| user.run(&["iam", "organizations", "list"]).code;
    let first = become_robot("old");
    let file = place.path().join("provost.backup");
    assert_eq!(admin(data.path(), &["backup", text(&file)]).code, 0);
    update("new");
    let second = become_robot("new");
    assert_eq!((sees(&first), sees(&second)), (3, 0), "another relationship has revoked the first token");
    update("newer");
    assert_eq!(sees(&second), 3, "and another one the second");
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));

    let restored = admin(data.path(), &["restore", text(&file), "--replace", "-y"]);
    assert_eq!(restored.code, 0, "{}", restored.stderr);
    let listen = server.listen().to_owned();
    let server = Server::start_at(data.path(), &listen);
    assert_eq!((sees(&first), sees(&second)), (3, 3), "both stay revoked");
    owner.login(&server, "admin", Some(&server.identity));
    owner.done(&["iam", "identities", "update", &robot, "--identity-issuer", &issuer, "--subject", "other"]);
    assert_eq!((sees(&first), sees(&second)), (3, 3), "whatever becomes of the relationship then");
    let again = User::of(&server);
    assert_eq!(again.login(&server, "other", Some(&robot)).code, 0);
    assert_eq!(sees(&again), 0);
}

/// So does a signing key that was removed because somebody else had it.
#[test]
fn a_signing_key_that_was_removed_stays_removed_after_a_restore() {
    let (data, place) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let mut server = Server::start(data.path());
    let token = admin(data.path(), &["token"]).stdout;
    let operator = User::with_token(&server, token.trim());
    let file = place.path().join("provost.backup");
    assert_eq!(admin(data.path(), &["backup", text(&file)]).code, 0);
    assert_eq!(admin(data.path(), &["rotate-keys", "--now", "-y"]).code, 0);
    let sees = |user: &User| user.run(&["iam", "organizations", "list"]).code;
    assert_eq!(sees(&operator), 3, "its key is gone");
    let listen = server.listen().to_owned();
    for (more, code) in [(&[][..], 3), (&["--keep-signing-keys"], 0)] {
        server.signal("TERM");
        assert_eq!(server.wait(), Some(0));
        let restored = admin(data.path(), &[&["restore", text(&file), "--replace", "-y"], more].concat());
        assert_eq!(restored.code, 0, "{}", restored.stderr);
        server = Server::start_at(data.path(), &listen);
        assert_eq!(sees(&operator), code, "{more:?}");
        let new = admin(data.path(), &["token"]).stdout;
        assert_eq!(sees(&User::with_token(&server, new.trim())), 0, "{more:?}");
        assert_eq!(admin(data.path(), &["check"]).code, 0, "{more:?}");
    }
}

#[test]
fn without_a_server_and_to_standard_output() {
    let data = TempDir::new().expect("a folder");
    let place = TempDir::new().expect("a folder");
    drop(Server::start(data.path()));
    let file = place.path().join("alone.backup");
    let ran = admin(data.path(), &["backup", text(&file)]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);

    let piped = place.path().join("piped.backup");
    let user = User::nowhere();
    let mut command = user.command(PROVOST);
    engine::on_data(command.args(["admin", "backup", "-"]), data.path());
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::write(&piped, output.stdout).expect("written");
    let to = with_key_of(data.path());
    assert_eq!(admin(to.path(), &["restore", text(&piped)]).code, 0);

    let mut command = user.command("sh");
    let line = format!("{PROVOST} admin backup - --data {} > /dev/full", data.path().display());
    let full = finish(command.args(["-c", &line]).envs(engine::variables(data.path())), "");
    assert_eq!(full.code, 1, "{}", full.stderr);
    assert!(full.stderr.contains("cannot write to standard output"), "{}", full.stderr);
}

#[test]
fn what_cannot_be_backed_up_or_restored_leaves_nothing() {
    let data = TempDir::new().expect("a folder");
    let place = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let file = place.path().join("good.backup");
    assert_eq!(admin(data.path(), &["backup", text(&file)]).code, 0);
    let refused = |ran: Ran, code: i32, why: &str| {
        assert_eq!(ran.code, code, "{}", ran.stderr);
        assert!(ran.stderr.contains(why), "{why}: {}", ran.stderr);
    };
    refused(admin(data.path(), &["backup", "/nowhere/file"]), 1, "cannot write /nowhere/file");
    refused(admin(data.path(), &["backup", text(place.path()), "-y"]), 1, "it is a folder");
    refused(admin(data.path(), &["restore", text(&file)]), 6, "a server is running on");
    assert_eq!(files(place.path()), ["good.backup"]);
    drop(server);

    let empty = TempDir::new().expect("a folder");
    let restore = |file: &Path, more: &[&str]| admin(empty.path(), &[&["restore", text(file)], more].concat());
    refused(restore(&file, &[]), 6, "the key is not in the backup");
    let wrong = TempDir::new().expect("a folder");
    drop(Server::start(wrong.path()));
    let key = wrong.path().join("key");
    refused(restore(&file, &["--key-file", text(&key)]), 6, "is not the key of this backup");
    let cut = place.path().join("cut.backup");
    let bytes = fs::read(&file).expect("read");
    fs::write(&cut, bytes.split_at(bytes.len() / 2).0).expect("written");
    refused(restore(&cut, &[]), 2, "it is cut off");
    refused(restore(&place.path().join("none"), &[]), 5, "cannot read");
    refused(restore(&file, &["--replace"]), 6, "the key is not in the backup");
    assert_eq!(files(empty.path()), Vec::<String>::new(), "nothing was made");
    fs::copy(data.path().join("key"), empty.path().join("key")).expect("copied");
    refused(restore(&file, &["--replace"]), 2, "will not replace everything");
    assert_eq!(files(empty.path()), ["key"]);
}

#[test]
fn a_backup_that_is_interrupted_leaves_no_half_file() {
    let data = TempDir::new().expect("a folder");
    let place = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    // A server that stands still answers nothing, and the backup waits.
    server.signal("STOP");
    let mut command = Command::new(PROVOST);
    command.env_clear().args(["admin", "backup"]).arg(place.path().join("file"));
    let mut backup = engine::on_data(&mut command, data.path())
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let begin = Instant::now();
    while files(place.path()).is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(30), "the backup does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(200));
    let pid = backup.id().to_string();
    assert!(Command::new("sh").args(["-c", &format!("kill -INT {pid}")]).status().expect("kill").success());
    let ended = backup.wait().expect("ends");
    server.signal("CONT");
    assert_eq!(ended.code(), Some(130));
    assert_eq!(files(place.path()), Vec::<String>::new());
    assert_eq!(admin(data.path(), &["token"]).code, 0, "the server goes on");
}

#[test]
fn migrations_are_told_before_they_are_made() {
    let folder = TempDir::new().expect("a folder");
    let data: PathBuf = folder.path().join("data");
    let check = admin(&data, &["migrate", "--check"]);
    assert_eq!(check.code, 8, "{}", check.stderr);
    assert!(check.stdout.contains("core") && check.stderr.contains("provost admin migrate"), "{}{}", check.stdout, check.stderr);
    assert!(check.stderr.starts_with("error: the database needs a migration\n"), "{}", check.stderr);
    assert!(!data.exists(), "nothing was made");
    let made = admin(&data, &["migrate", "-o", "json"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(admin(&data, &["migrate", "--check"]).code, 0);
    let _server = Server::start(&data);
    let ran = admin(&data, &["migrate", "--check", "-o", "json"]);
    let told: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!((ran.code, &told["database"], &told["missing"]), (0, &told["program"], &Value::Array(Vec::new())));
    assert_eq!(admin(&data, &["migrate"]).code, 0, "beside a server there is nothing to do");
}
