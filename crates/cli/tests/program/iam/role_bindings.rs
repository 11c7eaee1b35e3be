//! `provost iam role-bindings`

use tempfile::TempDir;

use crate::support::{Server, Transcript, User};

#[test]
fn every_verb() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    user.id(&[
        "iam",
        "identities",
        "create",
        "ci",
        "--parent",
        "dev",
        "--identity-issuer",
        "https://issuer.example",
        "--subject",
        "ci",
    ]);
    let bind = ["iam", "role-bindings", "create", "--identity", "ci", "--parent", "dev", "--role"];
    let binding = user.id(&[&bind[..], &["viewer"]].concat());
    session.run(&user, &["iam", "role-bindings", "list", "--identity", "ci"]);
    session.run(&user, &["iam", "role-bindings", "list", "--role", "viewer", "-o", "json"]);
    assert_eq!(user.json(&["iam", "role-bindings", "list", "--parent", "dev"])["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(user.json(&["iam", "role-bindings", "update", &binding, "--role", "editor"])["role"]["name"], "editor");
    session.run(&user, &["iam", "role-bindings", "describe", &binding]);
    session.run(&user, &["iam", "role-bindings", "update", &binding]);
    session.run(&user, &[&bind[..], &["no-such-role"]].concat());
    session.run(&user, &["iam", "role-bindings", "delete", &binding]);
    assert_eq!(user.id(&["iam", "role-bindings", "delete", &binding, "-y"]), binding);
    assert_eq!(user.done(&["iam", "role-bindings", "list", "--identity", "ci", "-o", "id"]), "");
    session.check("iam_role_bindings_every_verb");
}
