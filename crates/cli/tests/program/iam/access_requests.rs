//! `provost iam access-requests`, and the steps of docs/operate/people.md.

use tempfile::TempDir;

use crate::support::{Server, Transcript, User};

#[test]
fn every_verb() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let owner = User::admin(&server);
    let token = owner.run_on(data.path(), &["admin", "token", "--ttl", "5m"]);
    let operator = User::with_token(&server, token.stdout.trim());
    session.run(&owner, &["iam", "organizations", "update", "dev", "--name", "example.com"]);
    session.run(&owner, &["iam", "organizations", "update", "example.com", "--verified", "true", "--kind", "customer"]);
    session.run(&owner, &["iam", "organizations", "update", "example.com", "--kind", "friend"]);
    operator.done(&["iam", "organizations", "update", "example.com", "--verified", "true", "--kind", "customer"]);

    let joins = |name: &str| {
        let person = User::of(&server);
        let (email, subject) = (format!("email={name}@example.com"), name.to_owned());
        let mint = ["dev", "id-token", "--server", &server.url, "--subject", &subject, "--audience", &server.url];
        let claims = ["--claim", &email, "--claim", "email_verified:=true"];
        let token = person.done(&[&mint[..], &claims].concat());
        person.done(&["auth", "register", "--identity-token", token.trim()]);
        assert_eq!(person.run(&["auth", "login", "--identity-token", token.trim()]).code, 0);
        person
    };
    let (bea, cy) = (joins("bea"), joins("cy"));
    session.run(&owner, &["iam", "access-requests", "list"]);
    session.run(&bea, &["iam", "access-requests", "create"]);
    session.run(&bea, &["iam", "access-requests", "create"]);
    cy.done(&["iam", "access-requests", "create", &server.organization]);
    session.run(&owner, &["iam", "access-requests", "list", "--parent", "example.com", "--order-by", "created_at"]);
    let listed = owner.json(&["iam", "access-request", "ls", "--order-by", "created_at"]);
    let [bea_asks, cy_asks] = [0, 1].map(|at: usize| listed["items"][at]["id"].as_str().expect("an id").to_owned());
    session.run(&owner, &["iam", "access-requests", "grant", &bea_asks, "--role", "viewer"]);
    session.run(&bea, &["iam", "organizations", "list"]);
    session.run(&owner, &["iam", "access-requests", "refuse", &cy_asks]);
    session.run(&owner, &["iam", "access-requests", "describe", &cy_asks, "-o", "json"]);
    session.run(&cy, &["iam", "access-requests", "create"]);
    session.run(&cy, &["iam", "access-requests", "grant", &cy_asks, "--role", "viewer"]);
    session.check("iam_access_requests_every_verb");
}
