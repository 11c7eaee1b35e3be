//! `provost iam identity-providers`

use tempfile::TempDir;

use crate::support::{Server, Transcript, User};

const OIDC: [&str; 4] = ["--oidc-issuer", "https://login.example.com", "--oidc-client-id", "provost"];

fn of(line: &[&'static str]) -> Vec<&'static str> {
    [&["iam", "identity-providers"], line].concat()
}

#[test]
fn every_verb() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let create = of(&[&["create", "login", "--parent", "dev", "--default-role", "viewer"], &OIDC[..]].concat());
    session.run(&user, &create);
    let provider = user.id(&[&create[..], &["--oidc-pkce-enabled"]].concat());
    let secret = data.path().join("secret");
    std::fs::write(&secret, "of-this-year\n").expect("written");
    let secret = secret.to_str().expect("a path").to_owned();
    let with_secret = [&of(&["create", "other", "--parent", "dev", "--default-role", "viewer"])[..], &OIDC].concat();
    let other = user.id(&[&with_secret[..], &["--oidc-client-secret-file", &secret]].concat());
    session.run(&user, &of(&["list", "--parent", "dev", "--order-by", "name"]));
    session.run(&user, &of(&["describe", "login"]));
    session.run(&user, &of(&["delete", "other"]));
    assert_eq!(user.id(&of(&["delete", "other", "-y"])), other);

    let mappings = |line: &[&'static str]| of(&[&["group-mappings"], line].concat());
    let map = |group: &'static str| {
        mappings(&["create", "--identity-provider", "login", "--role", "editor", "--external-group-id", group])
    };
    let mapping = user.id(&map("developers"));
    assert!(mapping.starts_with(&format!("{provider}/")));
    session.run(&user, &map("developers"));
    user.id(&map("testers"));
    user.id(&map("writers"));
    session.run(&user, &mappings(&["list", "--identity-provider", "login", "--order-by", "created_at"]));
    session.run(&user, &[&mappings(&["delete"])[..], &[&mapping]].concat());
    assert_eq!(user.id(&[&mappings(&["delete", "-y"])[..], &[&mapping]].concat()), mapping);
    session.run(&user, &mappings(&["delete"]));
    session.run(&user, &mappings(&["delete", "--all", "--identity-provider", "login"]));
    let gone = user.done(&mappings(&["delete", "--all", "--identity-provider", "login", "-y", "-o", "id"]));
    assert_eq!(gone.lines().count(), 2);
    assert_eq!(user.done(&mappings(&["list", "-o", "id"])), "");
    session.check("iam_identity_providers_every_verb");
}

#[test]
fn scim() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    user.id(&of(
        &[&["create", "login", "--parent", "dev", "--default-role", "viewer", "--oidc-pkce-enabled"], &OIDC[..]].concat()
    ));
    let scim = |line: &[&'static str]| of(&[&["scim"], line].concat());
    session.run(&user, &scim(&["enable", "login"]));
    session.run(&user, &scim(&["token", "generate", "login", "--expires-in", "1h", "--never-expires"]));
    let made = user.json(&scim(&["token", "generate", "login", "--never-expires"]));
    assert!(made["token"].as_str().is_some_and(|token| token.starts_with("cgscim_")) && made["expire_time"].is_null());
    session.run(&user, &scim(&["enable", "login"]));
    let again = user.json(&scim(&["token", "regenerate", "login", "--overlap", "5m", "--expires-in", "24h"]));
    assert!(again["token"] != made["token"] && again["previous_token_expire_time"].is_string());
    assert_eq!(user.json(&of(&["describe", "login"]))["scim"]["credential_state"], "ROTATING");
    assert!(user.json(&scim(&["token", "revoke", "login", "-y"]))["revoke_time"].is_string());
    assert_eq!(user.json(&scim(&["disable", "login"]))["enabled"], false);
    session.check("iam_identity_providers_scim");
}
