//! `provost iam identities`

use serde_json::json;
use tempfile::TempDir;

use crate::support::{Server, Transcript, User};

#[test]
fn every_verb() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let create = ["iam", "identities", "create", "ci", "--parent", "dev", "-d", "Builds", "--role", "viewer,registry.pull"];
    let proof = ["--identity-issuer", "https://issuer.example", "--subject-pattern", "repo:acme/.*", "--audience", "provost"];
    let more = ["--claim", "team=core", "--claim-pattern", "ref=refs/heads/.*"];
    let ci = user.id(&[&create[..], &proof, &more].concat());
    session.run(&user, &["iam", "identities", "list", "--parent", "dev"]);
    session.run(&user, &["iam", "identities", "list", "--name", "ci", "-o", "json"]);
    session.run(&user, &["iam", "identities", "describe", "ci"]);

    session.run(&user, &["iam", "identities", "update", "ci", "-d", "Builds and more"]);
    assert_eq!(user.json(&["iam", "identities", "describe", "ci"])["roles"][0]["role"], "registry.pull");

    let updated =
        user.json(&["iam", "identities", "update", "ci", "--subject", "repo:acme/one", "--claim", "team=web", "-n", "ci-2"]);
    assert_eq!(updated["name"], "ci-2");
    assert_eq!(updated["claim_match"]["subject"], "repo:acme/one");
    assert_eq!(updated["claim_match"].get("subject_pattern"), None);
    assert_eq!(updated["claim_match"]["claims"], json!({"team": "web"}));
    assert_eq!(updated["claim_match"]["claim_patterns"], json!({"ref": "refs/heads/.*"}));
    assert_eq!(updated["claim_match"]["audience"], "provost");

    session.run(&user, &["iam", "identities", "update", "ci-2"]);
    session.run(&user, &["iam", "identities", "update", "ci-2", "--expiration", "2030-01-01"]);
    session.run(&user, &["iam", "identities", "update", "ci-2", "--service-principal", "ingester"]);
    session.run(&user, &["iam", "identities", "delete", "ci-2"]);
    assert_eq!(user.id(&["iam", "identities", "delete", "ci-2", "-y"]), ci);
    assert_eq!(user.done(&["iam", "role-bindings", "list", "--role", "viewer", "-o", "id"]), "", "its bindings went along");
    session.run(&user, &["iam", "identities", "describe", "ci-2"]);
    session.check("iam_identities_every_verb");
}

#[test]
fn all_kinds_of_proof() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let create = |name: &str, proof: &[&str]| {
        user.run(&[&["iam", "identities", "create", name, "--parent", "dev", "-o", "id"], proof].concat())
    };
    session.add("create none", &create("none", &[]));
    session.add("create half", &create("half", &["--identity-issuer", "https://issuer.example"]));
    session.add("create loose", &create("loose", &["--identity-issuer-pattern", ".*", "--subject", "s"]));

    let keys = user.home.path().join("keys.json");
    let jwk = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "kid": "a", "alg": "EdDSA"}]});
    std::fs::write(&keys, jwk.to_string()).expect("written");
    let soon = jiff_date();
    let pasted = create(
        "pasted",
        &["--issuer-keys", "keys.json", "--identity-issuer", "https://air.gap", "--subject", "s", "--expiration", &soon],
    );
    assert_eq!(pasted.code, 0, "{}", pasted.stderr);
    let described = user.json(&["iam", "identities", "describe", "pasted"]);
    assert_eq!(described["static"]["issuer"], "https://air.gap");
    assert!(described["static"]["expiration"].is_string());
    assert_eq!(user.id(&["iam", "identities", "list", "--type", "static"]), pasted.stdout.trim());
    session.run(&user, &["iam", "identities", "update", "pasted", "--claim", "a=b"]);
    assert_eq!(user.json(&["iam", "identities", "update", "pasted", "--subject", "t"])["static"]["subject"], "t");

    let principal = create("principal", &["--service-principal", "ingester"]);
    assert_eq!(principal.code, 0, "{}", principal.stderr);
    assert_eq!(user.json(&["iam", "identities", "describe", "principal"])["service_principal"], "INGESTER");
    assert_eq!(user.id(&["iam", "identities", "list", "--type", "service_principal"]), principal.stdout.trim());
    session.check("iam_identities_all_kinds_of_proof");
}

/// A day within the year that static keys may last.
fn jiff_date() -> String {
    jiff::Zoned::now().checked_add(jiff::Span::new().days(30)).expect("a day").date().to_string()
}
