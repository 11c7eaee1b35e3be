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

/// A record about a package.
fn record(id: &str, package: &str) -> String {
    format!(
        r#"{{"id":"{id}","modified":"2024-01-01T00:00:00Z","affected":[{{"package":{{"ecosystem":"Go","name":"{package}"}},"ranges":[{{"type":"SEMVER","events":[{{"introduced":"0"}}]}}]}}]}}"#
    )
}

#[test]
fn documents_come_and_go() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let at = |name: &str| user.home.path().join(name);
    std::fs::create_dir_all(at("osv/more")).expect("folders");
    for (name, content) in [
        ("osv/GO-1.json", record("GO-1", "a")),
        ("osv/more/GO-2.json", record("GO-2", "b")),
        ("osv/bad.json", "{".to_owned()),
        ("osv/README.md", "No document.".to_owned()),
    ] {
        std::fs::write(at(name), content).expect("written");
    }
    session.run(&user, &["advisories", "export", "--parent", "dev", "--format", "osv", "--out", "none"]);
    session.run(&user, &["advisories", "import", "osv", "--parent", "dev"]);
    let again = user.json(&["advisories", "import", "osv", "--parent", "dev"]);
    assert_eq!((&again["unchanged"], &again["imported"], &again["rejected"]), (&2.into(), &0.into(), &1.into()));
    assert_eq!(again["rejections"][0]["name"], "bad.json");
    let resumed =
        user.json(&["advisories", "import", "osv", "--parent", "dev", "--resume", again["id"].as_str().expect("an id")]);
    assert_eq!((&resumed["id"], &resumed["documents"]), (&again["id"], &3.into()), "there was nothing left");
    for out in ["out", "out.zip", "out.tar.gz"] {
        session.run(&user, &["advisories", "export", "--parent", "dev", "--format", "osv", "--out", out]);
        let back = user.json(&["advisories", "import", out, "--parent", "dev"]);
        assert_eq!((&back["unchanged"], &back["documents"]), (&2.into(), &2.into()), "{out}");
    }
    assert_eq!(std::fs::read_to_string(at("out/GO-1.json")).expect("a document"), record("GO-1", "a"));
    session.run(&user, &["advisories", "export", "--parent", "dev", "--format", "osv", "--out", "out"]);
    session.run(&user, &["advisories", "export", "--parent", "dev", "--format", "openvex", "--out", "vex.zip"]);
    session.run(&user, &["advisories", "import", "osv/bad.json", "--parent", "dev"]);
    session.run(&user, &["advisories", "import", "osv/README.md", "--parent", "dev"]);
    session.run(&user, &["advisories", "import", "nowhere", "--parent", "dev"]);
    session.check("advisories_documents");
}
