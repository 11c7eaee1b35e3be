//! `provost iam account-associations`

use serde_json::json;
use tempfile::TempDir;
use testkit::Clouds;

use crate::support::{Server, Transcript, User};

#[test]
fn every_verb() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let of = |line: &[&'static str]| [&["iam", "account-associations"], line].concat();
    session.run(&user, &of(&["describe", "dev"]));
    session.run(&user, &of(&["unset", "aws", "dev"]));
    session.run(&user, &of(&["set", "aws", "dev", "--account", "123456789012", "--name", "clouds"]));
    session.run(&user, &of(&["set", "gcp", "dev", "--project-id", "acme-build", "--project-number", "42", "-d", "Builds"]));
    session.run(&user, &of(&["set", "azure", "dev", "--tenant-id", "t-1", "--client-ids", "default=c-1,build=c-2"]));
    session.run(&user, &of(&["set", "azure", "dev", "--tenant-id", "t-1", "--client-ids", "c-1"]));
    session.run(&user, &of(&["describe", "dev"]));
    session.run(&user, &of(&["unset", "gcp", "dev"]));
    assert_eq!(user.id(&of(&["list", "--parent", "dev"])), server.organization);
    session.run(&user, &of(&["delete", "dev"]));
    session.run(&user, &of(&["delete", "dev", "-y"]));
    assert_eq!(user.id(&of(&["list"])), "");
    session.check("iam_account_associations_every_verb");
}

#[test]
fn every_cloud() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let clouds = runtime.block_on(Clouds::start());
    let settings = ["aws-sts-url", "google-sts-url", "google-iam-credentials-url", "azure-login-url"];
    let flags = settings.map(|setting| format!("--outbound-{setting}={}", clouds.url));
    let server = Server::start_with(data.path(), "127.0.0.1:0", &flags.each_ref().map(String::as_str));
    let user = User::admin(&server);
    let check = |cloud: &'static str| ["iam", "account-associations", "check", cloud, "dev"];
    session.run(&user, &check("aws"));

    user.done(&["iam", "account-associations", "set", "aws", "dev", "--account", "123456789012"]);
    user.done(&["iam", "account-associations", "set", "gcp", "dev", "--project-id", "acme", "--project-number", "7"]);
    clouds.trust(&server.url, &format!("canary:{}", server.organization));
    for cloud in ["aws", "gcp", "azure"] {
        session.run(&user, &check(cloud));
    }
    let told = user.json(&check("aws"));
    assert_eq!(told, json!({"group": server.organization, "ready": "Ready", "reason": "", "message": ""}));
    clouds.trust(&server.url, "canary:another-group");
    session.run(&user, &[&check("gcp")[..], &["-o", "json"]].concat());
    session.run(&user, &check("oracle"));
    session.check("iam_account_associations_every_cloud");
}
