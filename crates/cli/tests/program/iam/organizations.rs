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
