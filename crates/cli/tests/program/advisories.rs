//! `provost advisories`

use tempfile::TempDir;

use crate::support::{Server, Transcript, User};

#[test]
fn every_verb_of_advisories() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let new = ["advisories", "create", "--parent", "dev", "--artifact-name", "openssl", "--artifact-type", "apk"];
    let made =
        user.id(&[&new[..], &["--aliases", "CVE-2024-4741,GHSA-6vgq-8qjq-h578", "--component-name", "libcrypto3"]].concat());
    session.run(&user, &["advisories", "list"]);
    session.run(&user, &["advisories", "list", "--alias", "CVE-2024-4741", "-o", "csv"]);
    assert_eq!(user.done(&["advisory", "ls", "--query", "zlib", "-o", "id"]), "");
    let public_id = user.json(&["advisories", "describe", &made])["advisory_id"].as_str().expect("an id").to_owned();
    assert_eq!(user.json(&["advisories", "describe", &public_id])["id"], made, "it is found by its public id");
    session.run(&user, &["advisories", "describe", "CGA-0000-0000-0000"]);
    session.run(&user, &[&new[..], &["--aliases", "CVE-2024-4741", "--dry-run", "-o", "json"]].concat());
    session.run(&user, &["advisories", "delete", &public_id, "--if-match", "other", "-y"]);
    session.run(&user, &["advisories", "delete", &public_id, "--dry-run"]);

    let events = ["advisories", "events"];
    let found = user.id(&[&events[..], &["create", &public_id, "--type", "detection", "--author", "ana"]].concat());
    user.id(&[&events[..], &["create", &made, "--type", "fixed", "--fixed-version", "3.3.1-r0", "--note", "Update."]].concat());
    session.run(&user, &["advisories", "events", "create", &made, "--type", "false_positive_determination"]);
    session.run(&user, &["advisories", "events", "create", &made, "--type", "none"]);
    session.run(&user, &["advisories", "events", "list", &made]);
    session.run(&user, &["advisories", "events", "update", &found, "--review-state", "approved"]);
    session.run(&user, &["advisories", "events", "update", &found, "--review-state", "rejected", "--reviewer", "ben"]);
    assert_eq!(user.json(&["advisories", "events", "list", &made])["items"][1]["note"], "Update.");
    session.run(&user, &["advisories", "delete", &public_id]);
    session.run(&user, &["advisories", "delete", &public_id, "-y"]);
    session.run(&user, &["advisories", "list"]);
    session.check("advisories_every_verb");
}
