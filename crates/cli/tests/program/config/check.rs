//! `provost config check`

use std::{fs, process::Command};

use tempfile::TempDir;

use super::Place;
use crate::{
    engine,
    support::{PROVOST, Server, User, finish},
    tls::Authority,
};

/// What `config check` finds: each check with its result and detail.
fn checked(user: &User, line: &[&str], code: i32) -> Vec<[String; 3]> {
    let mut command = user.command(PROVOST);
    findings(command.args(["config", "check"]).args(line), code)
}

fn findings(command: &mut Command, code: i32) -> Vec<[String; 3]> {
    let ran = finish(command.args(["-o", "json"]), "");
    assert_eq!(ran.code, code, "{}{}", ran.stdout, ran.stderr);
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let items = told.pointer("/items").and_then(serde_json::Value::as_array).expect("items");
    let text = |item: &serde_json::Value, name| item.get(name).and_then(serde_json::Value::as_str).expect("a text").to_owned();
    items.iter().map(|item| ["check", "result", "detail"].map(|name| text(item, name))).collect()
}

fn results(found: &[[String; 3]]) -> Vec<String> {
    let word = |check: &str| check.split(' ').next().unwrap_or_default().to_owned();
    found.iter().map(|[check, result, _]| format!("{} {result}", word(check))).collect()
}

#[test]
fn a_new_machine_passes_and_is_left_as_it_was() {
    let user = User::nowhere();
    let line = ["--listen", "127.0.0.1:0", "--base-url", "https://provost.invalid", "--metrics-listen", "off"];
    let found = checked(&user, &line, 0);
    let expected =
        ["settings ok", "clock ok", "data ok", "database ok", "key-file ok", "listen ok", "base-url skipped", "auth-url skipped"];
    assert_eq!(results(&found), expected);
    assert_eq!(std::fs::read_dir(user.home.path()).expect("a home").count(), 0, "nothing was made");
}

#[test]
fn a_running_server_passes() {
    let data = TempDir::new().expect("a folder");
    let server = Server::plain(data.path());
    let user = User::of(&server);
    let checked = |further: &[&str], code| {
        let mut command = user.command(PROVOST);
        command.args(["config", "check", "--listen", server.listen(), "--base-url", &server.url, "--metrics-listen", "off"]);
        findings(engine::on_data(command.args(further), data.path()), code)
    };
    let found = checked(&[], 0);
    let expected =
        ["settings ok", "clock ok", "data ok", "database ok", "key-file ok", "listen ok", "base-url ok", "auth-url ok"];
    assert_eq!(results(&found), expected, "{found:?}");
    assert_eq!(results(&checked(&["--auth-url", "http://localhost:1"], 1)).last().expect("one"), "auth-url failed");
}

/// What TLS says about an identity provider that this machine does not trust, and what there is to do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_that_is_not_trusted_is_named_as_the_cause() {
    let (issuer, certificate) = testkit::Issuer::start_https().await;
    let (user, folder) = (User::nowhere(), TempDir::new().expect("a folder"));
    let line =
        ["--identity-provider", &issuer.url, "--allow-private-addresses", "--listen", "127.0.0.1:0", "--metrics-listen", "off"];
    let line = [&line[..], &["--base-url", &issuer.url]].concat();
    let found = checked(&user, &line, 1);
    let of = |check: &str| found.iter().find(|[name, ..]| name.starts_with(check)).expect(check);
    for check in ["provider ", "base-url"] {
        let [_, result, detail] = of(check);
        assert_eq!(result, "failed", "{detail}");
        assert!(detail.contains("invalid peer certificate: UnknownIssuer") && detail.contains("SSL_CERT_FILE"), "{detail}");
    }
    let trusted = folder.path().join("trusted.pem");
    fs::write(&trusted, certificate).expect("written");
    let mut command = user.command(PROVOST);
    command
        .args(["config", "check"])
        .args(&line[..line.len() - 2])
        .env("SSL_CERT_FILE", trusted)
        .env("PROVOST_BASE_URL", "https://provost.invalid");
    let found = findings(&mut command, 0);
    assert!(found.iter().any(|[name, result, _]| name.starts_with("provider ") && result == "ok"), "{found:?}");
}

/// A node as it should be: everything that it needs is there, and each row of the check says so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_there_on_a_live_node() {
    let Some(cluster) = pgcluster::shared() else { return };
    let (issuer, certificate) = testkit::Issuer::start_https().await;
    let (authority, database, folder) = (Authority::new(), cluster.database(), TempDir::new().expect("a folder"));
    let at = |name: &str| folder.path().join(name).display().to_string();
    authority.write_pair(folder.path());
    let root = fs::read_to_string(authority.root()).expect("a certificate");
    fs::write(at("trusted.pem"), root + &certificate).expect("written");
    let (key, trusted, database) = (at("the-key"), at("trusted.pem"), database.url());
    let pair = Server::pair_in(folder.path());
    let mut flags = vec!["--key-file", &key, "--identity-provider", &issuer.url, "--allow-private-addresses"];
    flags.extend(pair.each_ref().map(String::as_str));
    let variables = [("PROVOST_DATABASE", database.as_str()), ("SSL_CERT_FILE", &trusted)];
    let user = User::nowhere();
    let check = |listen: &str, url: &str| {
        let mut command = user.command(PROVOST);
        command.args([
            "config",
            "check",
            "--listen",
            listen,
            "--base-url",
            url,
            "--metrics-listen",
            "off",
            "--data",
            &at("data"),
        ]);
        command.args(&flags).envs(variables);
        results(&findings(&mut command, 0))
    };
    let here = ["settings", "clock", "data", "database", "key-file", "tls", "listen", "provider"].map(|row| format!("{row} ok"));
    let urls = |result: &str| ["base-url", "auth-url"].map(|row| format!("{row} {result}"));
    assert_eq!(check("127.0.0.1:0", "https://127.0.0.1:1"), [&here[..], &urls("skipped")].concat(), "before the first start");
    let server = Server::with_environment(&folder.path().join("data"), "https", &flags, &variables);
    let listen = server.url.trim_start_matches("https://");
    assert_eq!(check(listen, &server.url), [&here[..], &urls("ok")].concat(), "while it runs");
}

#[test]
fn what_would_not_work_is_found() {
    let place = Place::with("");
    place.write("key", &"ab".repeat(32), 0o644);
    place.write("cert.pem", "no certificate", 0o644);
    place.write("key.pem", "no key", 0o600);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let listen = taken.local_addr().expect("an address").to_string();
    let tls = ["--tls-certificate-file", "cert.pem", "--tls-key-file", "key.pem"];
    let line = ["--data", "key/data", "--key-file", "key", "--listen", &listen, "--metrics-listen", "off"];
    let further =
        ["--identity-provider", "https://127.0.0.1:1", "--database", "postgres://u:hunter2@127.0.0.1:1/p?sslmode=disable"];
    let line = [&line[..], &tls, &further].concat();
    let table = place.user.run(&[&["config", "check", "-o", "csv"], &line[..]].concat());
    assert!(table.stdout.starts_with("check,result,detail\r\nsettings,failed,"), "{}", table.stdout);
    let found = checked(&place.user, &line, 1);
    let expected = [
        ("settings", "--base-url is missing"),
        ("data", "key cannot be written"),
        ("database", "cannot use the database 127.0.0.1:1/p: error connecting"),
        ("key-file", "run `chmod 600"),
        ("tls", "holds no certificate"),
        (&format!("listen {listen}"), "cannot listen"),
        (
            "provider https://127.0.0.1:1",
            "its address is private or denied; see outbound.allow-private-addresses, outbound.allow and outbound.deny: 127.0.0.1",
        ),
    ];
    for (check, why) in expected {
        let [_, result, detail] = found.iter().find(|[name, ..]| name == check).expect(check);
        assert_eq!(result, "failed", "{check}: {detail}");
        assert!(detail.contains(why) && !detail.contains("hunter2"), "{check}: {detail}");
        assert_eq!(detail.matches("127.0.0.1:1/p").count(), usize::from(check == "database"), "{check}: {detail}");
    }
}
