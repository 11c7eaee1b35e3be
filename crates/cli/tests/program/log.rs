//! What the log of a server says and never says, and how that is changed while it runs.

use std::{fs, os::unix::net::UnixStream, path::Path, time::Duration};

use client::http::{Http, Request};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Ran, Server, User};

/// Starts a server that logs by `filter` into the file `log` beside its data.
fn logged(folder: &TempDir, filter: &str) -> Server {
    let mut command = Server::command(&folder.path().join("data"), "127.0.0.1:0");
    command.env("PROVOST_LOG", filter);
    Server::logging(command, &folder.path().join("log"))
}

fn events(folder: &TempDir) -> Vec<Value> {
    let text = fs::read_to_string(folder.path().join("log")).expect("the log");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| Value::from(line))).collect()
}

fn admin(folder: &Path, line: &[&str]) -> Ran {
    User::nowhere().run_on(&folder.join("data"), &[&["admin"], line].concat())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_level_logs_a_secret() {
    let folder = TempDir::new().expect("a folder");
    let mut server = logged(&folder, "trace");
    let (owner, url) = (User::of(&server), server.url.clone());
    let id_token = owner.done(&["dev", "id-token", "--server", &url, "--subject", "admin", "--audience", &url]);
    owner.done(&["auth", "login", "--identity", &server.identity, "--identity-token", id_token.trim()]);
    let token = owner.done(&["auth", "token"]);
    let operator = admin(folder.path(), &["token"]).stdout;
    owner.done(&["iam", "folders", "create", "seen", "--parent", &server.organization]);
    assert_eq!(User::with_token(&server, "a.refused-token.not-ours").run(&["iam", "organizations", "list"]).code, 3);
    let expired = format!("{}x", token.trim());
    User::with_token(&server, &expired).run(&["iam", "organizations", "list"]);
    let http = Http::new(&url, None).expect("a client");
    for (path, authorization) in [
        ("/iam/v2beta1/groups?access_token=query-secret", "Basic cGVvcGxlOnBhc3N3b3Jk"),
        ("/sts/exchange?aud=x", "Bearer upstream-secret"),
        ("/nothing", "Digest of-a-password"),
    ] {
        let request = Request::get(path).header("authorization", authorization).header("cookie", "session=cookie-secret");
        http.send(request).await.expect("an answer");
    }
    for token in [&id_token, &token, &operator].map(|token| token.trim()) {
        for path in
            [format!("/iam/v2beta1/groups/{token}"), format!("/nothing/{token}/at/all"), format!("/nothing?token={token}")]
        {
            http.send(Request::get(&path)).await.expect("an answer");
        }
    }
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));

    let log = fs::read_to_string(folder.path().join("log")).expect("the log");
    assert!(log.contains("\"TRACE\""), "everything is logged");
    for seen in ["\"target\":\"access\"", "\"target\":\"exchange\"", "GroupsService/CreateGroup", "UNAUTHENTICATED"] {
        assert!(log.contains(seen), "no {seen}");
    }
    let key = fs::read_to_string(folder.path().join("data/key")).expect("the key");
    let mut secrets = vec![key.trim(), "refused-token", "not-ours", "query-secret", "cGVvcGxlOnBhc3N3b3Jk", "upstream-secret"];
    secrets.extend(["of-a-password", "cookie-secret"]);
    // The head of a token names an algorithm and a key and is no secret.
    secrets.extend([&id_token, &token, &operator].iter().flat_map(|token| token.trim().split('.').skip(1)));
    for secret in secrets {
        assert!(secret.len() > 7);
        let leak = log.lines().find(|line| line.contains(secret));
        assert!(leak.is_none(), "{secret} is in the log: {}", leak.unwrap_or_default());
    }
}

#[test]
fn who_only_looks_whether_a_server_runs_is_no_trouble() {
    let folder = TempDir::new().expect("a folder");
    let mut server = logged(&folder, "info");
    for _ in 0..20 {
        UnixStream::connect(folder.path().join("data/admin.sock")).expect("a server");
    }
    assert_eq!(admin(folder.path(), &["restore", "/no/such/file"]).code, 6, "it looks too");
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let told = events(&folder);
    assert!(told.iter().all(|event| event["level"] == "INFO"), "{told:?}");
}

#[test]
fn the_filter_changes_while_the_server_runs() {
    let folder = TempDir::new().expect("a folder");
    let server = logged(&folder, "info");
    let show = || admin(folder.path(), &["log-level"]).stdout;
    let debugged = || events(&folder).iter().filter(|event| event["level"] == "DEBUG").count();
    assert_eq!(show(), "info\n");
    assert_eq!(admin(folder.path(), &["log-level", "warn"]).stdout, "info -> warn\n");
    let before = events(&folder);
    User::admin(&server);
    assert_eq!(events(&folder), before, "nothing to warn of");

    assert_eq!(admin(folder.path(), &["log-level", "debug"]).stdout, "warn -> debug\n");
    User::admin(&server);
    assert!(debugged() > 0, "{:?}", events(&folder));
    assert!(events(&folder).iter().any(|event| event["now"] == "debug" && event["before"] == "warn"));

    assert_eq!(admin(folder.path(), &["log-level", "off", "--for", "1s"]).stdout, "debug -> off for 1 s\n");
    for attempt in 0.. {
        if show() == "debug\n" {
            break;
        }
        assert!(attempt < 100, "the filter stays {}", show());
        std::thread::sleep(Duration::from_millis(100));
    }
    let before = debugged();
    User::admin(&server);
    assert!(debugged() > before, "it is logged again");
}

#[test]
fn what_is_no_filter_changes_nothing() {
    let folder = TempDir::new().expect("a folder");
    let mut server = logged(&folder, "info");
    for (bad, why) in
        [("inof", "\"inof\" is no level"), ("info,,", "has an empty part"), ("store=loud", "error parsing level filter")]
    {
        let ran = admin(folder.path(), &["log-level", bad]);
        assert_eq!(ran.code, 2, "{bad}: {}", ran.stderr);
        assert!(ran.stderr.contains(why), "{bad}: {}", ran.stderr);
    }
    assert_eq!(admin(folder.path(), &["log-level"]).stdout, "info\n");
    assert_eq!(admin(folder.path(), &["log-level", "--for", "1m"]).code, 2, "a time needs a filter");
    server.kill();
    let ran = admin(folder.path(), &["log-level"]);
    assert_eq!(ran.code, 7, "{}", ran.stderr);
    assert!(ran.stderr.contains("no server runs on"), "{}", ran.stderr);
}
