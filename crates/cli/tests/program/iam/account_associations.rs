//! `provost iam account-associations`

use tempfile::TempDir;

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
