//! `provost iam invites`, and the steps of docs/operate/people.md.

use tempfile::TempDir;

use crate::support::{Server, Transcript, User};

#[test]
fn every_verb() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let of = |line: &[&'static str]| [&["iam", "invites"], line].concat();
    let make = of(&["create", "dev", "--role", "viewer", "--ttl", "1h", "--email", "ana@example.com"]);
    let invite = user.json(&make)["id"].as_str().expect("an id").to_owned();
    assert_eq!(user.run(&[&make[..], &["-o", "id"]].concat()).code, 2, "the code would be thrown away");
    assert!(invite.starts_with(&format!("{}/", server.organization)));
    assert_eq!(user.done(&of(&["list", "--parent", "dev", "-o", "id"])).trim(), invite);
    let listed = user.json(&of(&["list"]));
    assert_eq!((&listed["items"][0]["id"], &listed["items"][0]["role"]["name"]), (&invite.clone().into(), &"viewer".into()));
    assert!(listed["items"][0].get("code").is_none(), "{listed:#}");
    assert_eq!(user.json(&[&of(&["describe"])[..], &[&invite]].concat())["email"], "ana@example.com");
    session.run(&user, &of(&["create", "dev", "--role", "viewer", "--ttl", "9000h"]));
    session.run(&user, &of(&["create", "dev"]));
    session.run(&user, &[&of(&["delete"])[..], &[&invite]].concat());
    assert_eq!(user.id(&[&of(&["delete", "-y"])[..], &[&invite]].concat()), invite);
    session.run(&user, &[&of(&["delete", "-y"])[..], &[&invite]].concat());
    session.check("iam_invites_every_verb");
}

#[test]
fn a_second_person_joins_and_leaves() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let (owner, bea) = (User::admin(&server), User::of(&server));
    let made = owner.json(&["iam", "invites", "create", "dev", "--role", "viewer", "--single-use"]);
    let code = made["code"].as_str().expect("a code");

    let token = bea.done(&["dev", "id-token", "--server", &server.url, "--subject", "bea", "--audience", &server.url]);
    let register = |code: &str| bea.run(&["auth", "register", "--identity-token", token.trim(), "--invite-code", code]);
    session.add("join", &register(code));
    session.add("join again", &register(code));
    session.add("log in", &bea.login(&server, "bea", None));
    assert_eq!(bea.json(&["auth", "status"])["capabilities"][0]["role"]["name"], "viewer");
    session.run(&bea, &["auth", "delete-account"]);
    session.run(&bea, &["auth", "delete-account", "-y"]);
    session.run(&bea, &["auth", "status", "-o", "id"]);
    session.check("iam_invites_a_second_person_joins_and_leaves");
}
