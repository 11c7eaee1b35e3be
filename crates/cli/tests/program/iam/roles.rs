//! `provost iam roles`

use serde_json::json;
use tempfile::TempDir;

use crate::support::{Server, Transcript, User};

#[test]
fn every_verb() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let create = ["iam", "roles", "create", "lister", "--parent", "dev", "--description", "Looks around", "--capabilities"];
    let lister = user.id(&[&create[..], &["groups.list,repo.list"]].concat());
    session.run(&user, &["iam", "roles", "list", "--parent", "dev", "-o", "json"]);
    session.run(&user, &["iam", "roles", "describe", "lister"]);
    let managed = user.json(&["iam", "roles", "list", "--managed"]);
    let names: Vec<_> = managed["items"].as_array().expect("items").iter().map(|role| role["name"].clone()).collect();
    assert!(
        names.contains(&"owner".into()) && names.contains(&"viewer".into()) && !names.contains(&"lister".into()),
        "{names:?}"
    );
    let capabilities = |line: &[&str]| user.json(line)["capabilities"].clone();
    assert_eq!(
        capabilities(&[
            "iam",
            "roles",
            "update",
            "lister",
            "--add-capabilities",
            "groups.create",
            "--remove-capabilities",
            "repo.list"
        ]),
        json!(["groups.create", "groups.list"])
    );
    assert_eq!(capabilities(&["iam", "roles", "update", "lister", "--capabilities", "tag.list"]), json!(["tag.list"]));
    assert_eq!(user.json(&["iam", "roles", "update", "lister", "--name", "tagger"])["name"], "tagger");
    session.run(&user, &["iam", "roles", "update", "viewer", "--name", "mine", "-y"]);
    session.run(&user, &["iam", "roles", "delete", "viewer", "-y"]);
    assert_eq!(user.id(&["iam", "roles", "delete", "tagger", "-y"]), lister);
    session.run(&user, &["iam", "roles", "describe", "tagger"]);
    session.check("iam_roles_every_verb");
}

#[test]
fn capabilities_are_named_without_a_server() {
    let user = User::nowhere();
    let of = |line: &[&'static str]| [&["iam", "roles", "capabilities", "list"], line].concat();
    let mut session = Transcript::default();
    session.run(&user, &of(&["--actions", "create,delete", "--resources", "identity,role_bindings"]));
    session.run(&user, &of(&["--resources", "nothing", "-o", "json"]));
    session.check("iam_roles_capabilities");
    let names = user.done(&of(&["-o", "id"]));
    assert!(names.lines().any(|name| name == "registry.overlays.list"), "{names}");
    assert_eq!(names.lines().count(), domain::Capability::all().count());
}
