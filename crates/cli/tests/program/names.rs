//! Organizations, folders, identities, roles and repos by name, path or UID.

use tempfile::TempDir;

use crate::support::{PROVOST, Server, Transcript, User, finish};

#[test]
fn paths_say_which_of_many() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let create = |parent: &str, name: &str| user.id(&["iam", "folders", "create", name, "--parent", parent]);
    create("dev", "team-a");
    create("dev", "team-b");
    let (in_a, in_b) = (create("dev/team-a", "ci"), create("team-b", "ci"));
    let folder = |path: &str| user.id(&["iam", "folders", "describe", path]);
    assert_eq!((folder("dev/team-a/ci"), folder("team-b/ci"), folder(&in_a)), (in_a.clone(), in_b, in_a.clone()));
    session.run(&user, &["iam", "folders", "describe", "ci"]);
    session.run(&user, &["iam", "folders", "describe", "team-c/ci"]);
    session.run(&user, &["iam", "folders", "describe", "a/ci"]);
    session.run(&user, &["iam", "folders", "describe", "dev"]);

    // A whole path goes before the end of a longer one.
    create("dev/team-a", "team-b");
    let deeper = create("dev/team-a/team-b", "ci");
    assert_eq!(folder("dev/team-a/team-b/ci"), deeper);
    session.run(&user, &["iam", "folders", "describe", "team-b/ci"]);
    session.run(&user, &["iam", "folders", "describe", "dev/team-b/ci", "-o", "id"]);

    let proof = ["--identity-issuer", "https://issuer.example", "--subject", "s", "--parent"];
    let bot = user.id(&[&["iam", "identities", "create", "bot"], &proof[..], &["dev/team-a/ci"]].concat());
    let other = user.id(&[&["iam", "identities", "create", "bot"], &proof[..], &["dev/team-b/ci"]].concat());
    assert_eq!(user.id(&["iam", "identities", "describe", "dev/team-b/ci/bot"]), other);
    let repo = user.id(&["images", "repos", "create", "api", "--parent", "dev/team-a/ci"]);
    user.id(&["images", "repos", "create", "api", "--parent", "dev/team-b/ci"]);
    let bind = ["iam", "role-bindings", "create", "--role", "registry.push", "--parent", "dev/team-a/ci", "--identity"];
    let binding = user.id(&[&bind[..], &["team-a/ci/bot"]].concat());
    assert_eq!(user.id(&["iam", "role-bindings", "list", "--identity", &bot, "--group", "dev/team-a/ci"]), binding);
    assert_eq!(user.done(&["iam", "role-bindings", "list", "--identity", &bot, "--group", "dev/team-a", "-o", "id"]), "");
    session.run(&user, &["images", "repos", "delete", "api", "-y"]);
    assert_eq!(user.id(&["images", "repos", "delete", "dev/team-a/ci/api", "-y"]), repo);
    session.check("names_paths_say_which_of_many");
}

#[test]
fn what_nothing_is_called_has_neighbours() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    user.id(&["iam", "folders", "create", "production", "--parent", "dev"]);
    session.run(&user, &["iam", "folders", "describe", "prodcution"]);
    session.run(&user, &["iam", "folders", "describe", "dev/prod"]);
    session.run(&user, &["iam", "organizations", "describe", "Dev"]);
    session.run(&user, &["iam", "roles", "describe", "registry.psuh"]);
    session.run(&user, &["images", "repos", "list", "--parent", "nothing-like-it"]);
    session.run(&user, &["iam", "identities", "describe", ""]);
    session.run(&user, &["iam", "folders", "describe", "/"]);
    session.check("names_what_nothing_is_called");
}

#[test]
fn a_uid_is_taken_as_it_is() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let admin = User::admin(&server);
    let issuer = format!("{}/dev/idp", server.url);
    let maker = ["iam", "roles", "create", "maker", "--parent", "dev", "--capabilities", "groups.create"];
    admin.id(&maker);
    let ci = admin.id(&[
        "iam",
        "identities",
        "create",
        "ci",
        "--parent",
        "dev",
        "--identity-issuer",
        &issuer,
        "--subject",
        "w",
        "--role",
        "maker",
    ]);
    let workload = User::of(&server);
    assert_eq!(workload.login(&server, "w", Some(&ci)).code, 0);
    // It may create, and nothing else: a look at the parent would be refused.
    let ran = workload.run(&["iam", "folders", "create", "made", "--parent", &server.organization, "-o", "id"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let ran = workload.run(&["iam", "folders", "create", "made", "--parent", "dev"]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
}

#[test]
fn nothing_is_guessed_without_a_terminal() {
    let mut session = Transcript::default();
    let user = User::nowhere();
    session.run(&user, &["iam", "folders", "delete"]);
    session.run(&user, &["iam", "folders", "create", "x"]);
    session.run(&user, &["iam", "role-bindings", "create", "--role", "viewer"]);
    session.run(&user, &["iam", "role-bindings", "describe"]);
    let mut command = user.command(PROVOST);
    command.env("PROVOST_NO_INPUT", "1").args(["images", "repos", "delete"]);
    session.add("PROVOST_NO_INPUT=1 provost images repos delete", &finish(&mut command, ""));
    session.check("names_nothing_is_guessed");
}
