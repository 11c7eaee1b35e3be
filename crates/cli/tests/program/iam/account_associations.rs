use client::http::{Http, Request};
use serde_json::json;
use tempfile::TempDir;
use testkit::Clouds;

use crate::support::{Server, Transcript, User};

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

    let token = client::Token::new(user.done(&["auth", "token"]).trim());
    let http = Http::new(&server.url, Some(token)).expect("a client");
    let association = json!({
        "name": "accounts",
        "amazon": { "account": "123456789012" },
        "google": { "project_id": "acme", "project_number": "7" },
    });
    let path = format!("/iam/v2beta1/accountAssociations/{}", server.organization);
    let made = runtime.block_on(http.send(Request::post(path, &association))).expect("an answer");
    assert_eq!(made.status, 200, "{}", made.text());
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
