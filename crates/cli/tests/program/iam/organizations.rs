//! `provost iam organizations`

use tempfile::TempDir;

use crate::support::{Server, Transcript, User};

#[test]
fn every_verb() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let acme = user.id(&["iam", "organizations", "create", "acme", "-d", "Anvils and more"]);
    assert!(!acme.contains('/'));
    session.run(&user, &["iam", "organizations", "list"]);
    session.run(&user, &["iam", "orgs", "ls", "--name", "acme", "-o", "json"]);
    session.run(&user, &["iam", "organizations", "describe", "acme"]);
    assert_eq!(user.json(&["iam", "organizations", "describe", &acme])["id"], acme);
    let renamed = user.json(&["iam", "organization", "update", "acme", "--name", "acme-2", "--description", ""]);
    assert_eq!((&renamed["name"], &renamed["description"]), (&"acme-2".into(), &"".into()));
    session.run(&user, &["iam", "organizations", "update", "acme-2"]);
    session.run(&user, &["iam", "organizations", "create", "Not A Name"]);
    session.run(&user, &["iam", "organizations", "delete", "acme-2"]);
    user.id(&["iam", "folders", "create", "inside", "--parent", "acme-2"]);
    session.run(&user, &["iam", "organizations", "delete", "acme-2", "-y"]);
    user.done(&["iam", "folders", "delete", "inside", "-y"]);
    assert_eq!(user.id(&["iam", "organizations", "delete", "acme-2", "-y"]), acme);
    session.run(&user, &["iam", "organizations", "describe", "acme-2"]);
    let gone = user.run(&["iam", "organizations", "describe", &acme]);
    assert_eq!(gone.code, 4, "nobody learns whether it exists: {}", gone.stderr);
    session.check("iam_organizations_every_verb");
}

#[test]
fn limits() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let owner = User::admin(&server);
    let token = owner.run_on(data.path(), &["admin", "token", "--ttl", "5m"]);
    let operator = User::with_token(&server, token.stdout.trim());
    session.run(&owner, &["iam", "organizations", "limits", "describe", "dev"]);
    session.run(&owner, &["iam", "organizations", "limits", "set", "dev", "repos=1"]);
    session.run(&operator, &["iam", "organizations", "limits", "set", "dev", "repos=1", "role-bindings=20"]);
    session.run(&operator, &["iam", "organizations", "limits", "set", "dev", "repos=1", "tags=20"]);
    session.run(&operator, &["iam", "organizations", "limits", "set", "dev", "repos"]);
    session.run(&operator, &["iam", "organizations", "limits", "set", "dev"]);
    make_repo(&owner, "one");
    session.run(&owner, &["images", "repos", "create", "two", "--parent", "dev"]);
    assert_eq!(owner.json(&["iam", "organizations", "describe", "dev"])["resource_limits"]["repos"], 1);
    session.run(&operator, &["iam", "organizations", "limits", "set", "dev", "--none", "-o", "json"]);
    make_repo(&owner, "two");
    session.check("iam_organizations_limits");
}

fn make_repo(user: &User, name: &str) {
    user.id(&["images", "repos", "create", name, "--parent", "dev"]);
}

#[test]
fn lists_page_through_everything() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        use contract::chainguard::platform::iam::v2beta1::{CreateGroupRequest, Group, rpc::CreateGroup};
        let token = client::Token::new(user.done(&["auth", "token"]));
        let client = client::Client::connect(&server.url, Some(token)).await.expect("a server");
        for number in 0..205 {
            let group = Some(Group { name: format!("folder-{number}"), ..Group::default() });
            let request = CreateGroupRequest { parent: server.organization.clone(), group };
            client.call::<CreateGroup>(request).await.expect("created");
        }
    });
    assert_eq!(user.done(&["iam", "folders", "list", "-o", "id"]).lines().count(), 205);
    assert_eq!(user.json(&["iam", "folders", "list", "dev"])["items"].as_array().map(Vec::len), Some(205));
}
