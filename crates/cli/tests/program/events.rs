//! `provost events subscriptions`

use tempfile::TempDir;

use crate::support::{Server, Transcript, User};

#[test]
fn every_verb() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let of = |line: &[&'static str]| [&["events", "subscriptions"], line].concat();
    let subscription = user.id(&of(&["create", "https://hooks.example.com/provost", "--parent", "dev"]));
    assert!(subscription.starts_with(&format!("{}/", server.organization)));
    session.run(&user, &of(&["list"]));
    session.run(&user, &of(&["list", "--parent", "dev", "-o", "json"]));
    session.run(&user, &[&of(&["describe"])[..], &[&subscription]].concat());
    session.run(&user, &of(&["create", "http://hooks.example.com", "--parent", "dev"]));
    session.run(&user, &of(&["create", "https://hooks.example.com"]));
    session.run(&user, &[&of(&["delete"])[..], &[&subscription]].concat());
    assert_eq!(user.id(&[&of(&["delete", "-y"])[..], &[&subscription]].concat()), subscription);
    session.run(&user, &[&of(&["delete", "-y"])[..], &[&subscription]].concat());
    assert_eq!(user.done(&of(&["list", "-o", "id"])), "");
    session.check("events_every_verb");
}
