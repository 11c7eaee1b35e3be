//! `provost iam folders`

use tempfile::TempDir;

use crate::support::{Server, Transcript, User};

#[test]
fn every_verb() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let team = user.id(&["iam", "folders", "create", "team", "--parent", "dev"]);
    let inner = user.id(&["iam", "folders", "create", "inner", "--parent", &team, "-d", "Deeper"]);
    assert!(inner.starts_with(&format!("{team}/")) && team.starts_with(&format!("{}/", server.organization)));
    session.run(&user, &["iam", "folders", "list", "dev"]);
    let listed = |line: &[&str]| {
        let mut uids: Vec<_> = user.done(line).lines().map(str::to_owned).collect();
        uids.sort();
        uids
    };
    assert_eq!(listed(&["iam", "folders", "list", "-o", "id"]), [team.clone(), inner.clone()]);
    for near in [&["--no-recursive"][..], &["--recursive=false"], &["--recursive", "--no-recursive"]] {
        assert_eq!(listed(&[&["iam", "folders", "list", "dev", "-o", "id"], near].concat()), [&*team], "{near:?}");
    }
    for all in [&["--recursive"][..], &["--recursive=true"], &["--no-recursive", "--recursive"]] {
        assert_eq!(listed(&[&["iam", "folders", "list", "dev", "-o", "id"], all].concat()).len(), 2, "{all:?}");
    }
    session.run(&user, &["iam", "folders", "list", "--no-recursive"]);
    assert_eq!(listed(&["iam", "folders", "list", &team, "-o", "id"]), [&*inner]);
    assert_eq!(listed(&["iam", "folders", "list", "--name", "inner", "-o", "id"]), [&*inner]);
    assert_eq!(user.json(&["iam", "folders", "describe", "inner"])["description"], "Deeper");
    assert_eq!(user.json(&["iam", "folders", "update", "inner", "-d", "Deepest"])["description"], "Deepest");
    session.run(&user, &["iam", "folders", "delete", "team", "-y"]);
    user.id(&["iam", "folders", "create", "inner", "--parent", "dev"]);
    session.run(&user, &["iam", "folders", "delete", "inner", "-y"]);
    assert_eq!(user.id(&["iam", "folders", "delete", &inner, "-y"]), inner);
    assert_eq!(user.id(&["iam", "folders", "delete", &team, "-y"]), team);
    session.run(&user, &["iam", "folders", "create", "x", "--parent", "nowhere"]);
    session.check("iam_folders_every_verb");
}
