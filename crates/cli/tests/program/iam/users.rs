//! `provost iam users`

use tempfile::TempDir;

use crate::support::{Server, Transcript, User};

#[test]
fn every_verb() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let (owner, bea) = (User::admin(&server), User::of(&server));
    let listed = |group: &str| owner.done(&["iam", "users", "list", group, "-o", "id"]);
    let admin = format!("{}\n", server.identity);
    let robot = ["iam", "identities", "create", "robot", "--parent", "dev", "--role", "viewer"];
    owner.id(&[&robot[..], &["--identity-issuer", "https://issuer.example", "--subject", "robot"]].concat());
    assert_eq!(listed("dev"), admin, "workloads are no users");
    owner.id(&["iam", "folders", "create", "team", "--parent", "dev"]);
    let code = |parent: &str| {
        owner.json(&["iam", "invites", "create", parent, "--role", "viewer"])["code"].as_str().expect("a code").to_owned()
    };
    let token = bea.done(&[
        "dev",
        "id-token",
        "--server",
        &server.url,
        "--subject",
        "bea",
        "--audience",
        &server.url,
        "--claim",
        "email=bea@example.com",
        "--claim",
        "email_verified:=true",
    ]);
    let mut user = String::new();
    for parent in ["dev", "dev/team"] {
        user = bea.id(&["auth", "register", "--identity-token", token.trim(), "--invite-code", &code(parent)]);
    }
    session.run(&owner, &["iam", "users", "list", "dev"]);
    session.run(&owner, &["iam", "users", "list", "dev/team", "-o", "json"]);
    session.run(&owner, &["iam", "users", "remove", "ana@example.com", "--parent", "dev"]);
    session.run(&owner, &["iam", "users", "remove", "", "--parent", "dev", "-y"]);
    session.run(&owner, &["iam", "users", "remove", "bea@example.com", "--parent", "dev"]);
    owner.done(&["iam", "users", "remove", "bea@example.com", "--parent", "dev/team", "-y"]);
    assert_eq!(listed("dev/team"), "");
    assert!(listed("dev").contains(&user), "what is held above stays");
    owner.done(&["iam", "users", "remove", &user, "--parent", "dev", "-y"]);
    assert_eq!(listed("dev"), admin);
    session.check("iam_users_every_verb");
}
