//! What needs no server, and what the user reads when there is none.

use contract::prost_types::FileDescriptorSet;

use crate::support::{PROVOST, Transcript, User, finish};

#[test]
fn version() {
    let user = User::nowhere();
    assert_eq!(user.done(&["version", "-o", "id"]).trim(), env!("CARGO_PKG_VERSION"));
    assert_eq!(user.json(&["version"])["version"], env!("CARGO_PKG_VERSION"));
    assert!(user.done(&["--version"]).starts_with("provost "));
}

#[test]
fn the_contract_is_a_descriptor_set() {
    let output = User::nowhere().command(PROVOST).args(["contract", "descriptors"]).output().expect("it runs");
    assert!(output.status.success());
    let set = <FileDescriptorSet as prost::Message>::decode(output.stdout.as_slice()).expect("a descriptor set");
    let has = |name: &str| set.file.iter().any(|file| file.name() == name);
    assert!(has("chainguard/platform/iam/v2beta1/groups.proto") && has("google/protobuf/descriptor.proto"));
}

#[test]
fn help_documents_the_exit_codes() {
    let help = User::nowhere().done(&["--help"]);
    assert!(help.contains("3  not logged in") && help.contains("5  not found"), "{help}");
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let user = User::nowhere();
    let mut shell = user.command("sh");
    shell.arg("-c").arg(format!("({PROVOST} contract descriptors; echo $? >&2) | head -c 1 >/dev/null"));
    let ran = finish(&mut shell, "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "0\n"));
}

#[test]
fn not_logged_in() {
    let mut session = Transcript::default();
    session.run(&User::nowhere(), &["iam", "organizations", "list"]);
    session.run(&User::nowhere(), &["auth", "token", "--audience", "https://x.example"]);
    session.run(&User::nowhere(), &["auth", "logout"]);
    session.check("offline_not_logged_in");
}

#[test]
fn no_server_answers() {
    let mut session = Transcript::default();
    let user = User::nowhere();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let url = format!("http://{closed}");
    session.run(&user, &["auth", "login", "--identity-token", "a.b.c", "--api", &url]);
    session.run(&user, &["dev", "id-token", "--subject", "s", "--server", &url]);
    let mut command = user.command(PROVOST);
    command.env("PROVOST_TOKEN", "a.b.c").args(["auth", "status", "--api", &url]);
    session.add("provost auth status", &finish(&mut command, ""));
    session.check("offline_no_server_answers");
}

#[test]
fn wrong_usage() {
    let mut session = Transcript::default();
    let user = User::nowhere();
    session.run(&user, &["auth", "login"]);
    session.run(&user, &["auth", "login", "--identity-token", "/no/such/file"]);
    session.run(&user, &["auth", "login", "--identity-token", "token.txt"]);
    session.run(&user, &["auth", "login", "--identity-token", "-"]);
    session.run(&user, &["iam", "roles", "create", "r", "--parent", "p", "--capabilities", "no.such"]);
    session.run(&user, &["iam", "frobnicate"]);
    session.run(&user, &["iam", "folders", "get", "team-a"]);
    session.run(&user, &["-o", "json", "iam", "roles", "remove", "viewer"]);
    session.run(&user, &["iam", "show"]);
    session.run(&user, &["login"]);
    session.run(&user, &["lgoin"]);
    session.run(&user, &["whoami"]);
    session.run(&user, &["iam", "logout"]);
    session.run(&user, &["folders", "list"]);
    session.run(&user, &["token"]);
    session.run(&user, &["dev", "id-token", "--subject", "s", "--claim", "novalue"]);
    session.run(&user, &["auth", "status", "--api", "localhost"]);
    session.check("offline_wrong_usage");
}

#[test]
fn an_expired_login_says_so() {
    let mut session = Transcript::default();
    let user = User::nowhere();
    let folder = user.home.path().join(".cache/chainguard/http:--127.0.0.1:8080");
    std::fs::create_dir_all(&folder).expect("a cache");
    // {"sub":"s","exp":1}
    std::fs::write(folder.join("oidc-token"), "e30.eyJzdWIiOiJzIiwiZXhwIjoxfQ.x").expect("written");
    session.run(&user, &["auth", "token"]);
    session.check("offline_an_expired_login_says_so");
}

#[test]
fn the_cache_follows_xdg() {
    let user = User::nowhere();
    let cache = user.home.path().join("elsewhere");
    let folder = cache.join("chainguard/https:--x.example");
    std::fs::create_dir_all(&folder).expect("a cache");
    std::fs::write(folder.join("oidc-token"), "a.b.c").expect("written");
    let mut command = user.command(PROVOST);
    command.env("XDG_CACHE_HOME", &cache).args(["auth", "token", "--audience", "https://x.example"]);
    let ran = finish(&mut command, "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "a.b.c\n"), "{}", ran.stderr);
}

#[test]
fn provost_token_goes_before_the_cache() {
    let user = User::nowhere();
    let mut command = user.command(PROVOST);
    command.env("PROVOST_TOKEN", " x.y.z \n").args(["auth", "token"]);
    assert_eq!(finish(&mut command, "").stdout, "x.y.z\n");
}

#[test]
fn every_global_flag_is_a_variable_too() {
    let user = User::nowhere();
    let with = |variables: &[(&str, &str)], line: &[&str]| {
        let mut command = user.command(PROVOST);
        command.envs(variables.iter().copied()).args(line);
        finish(&mut command, "")
    };
    assert_eq!(with(&[("PROVOST_OUTPUT", "id")], &["version"]).stdout.trim(), env!("CARGO_PKG_VERSION"));
    assert!(
        with(&[("PROVOST_API", "http://a.example")], &["auth", "token"]).stderr.contains("not logged in to http://a.example\n")
    );
    let told = with(&[("PROVOST_API", "http://a.example"), ("PROVOST_AUDIENCE", "b")], &["auth", "token"]).stderr;
    assert!(told.contains("not logged in to b\n"), "{told}");
    let told = with(&[("PROVOST_AUDIENCE", "b")], &["auth", "token", "--audience", "c"]).stderr;
    assert!(told.contains("not logged in to c\n"), "flags go before variables: {told}");
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let told = with(&[("PROVOST_ISSUER", &format!("http://{closed}"))], &["auth", "login", "--identity-token", "a.b.c"]).stderr;
    assert!(told.contains(&format!("no server answers at http://{closed}")), "{told}");
    assert_eq!(with(&[("PROVOST_OUTPUT", "xml")], &["version"]).code, 2);
}
