//! `provost iam terms`

use tempfile::TempDir;

use crate::support::{Server, Transcript, User};

#[test]
fn every_verb() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let method = "chainguard.platform.iam.v2beta1.RolesService/CreateRole";
    let terms = format!("roles-tos.v1|Terms of roles|https://example.com/terms|{method}");
    let server = Server::start_with(data.path(), "127.0.0.1:0", &["--terms", &terms]);
    let user = User::admin(&server);
    let create = ["iam", "roles", "create", "looker", "--parent", "dev", "--capabilities", "groups.list"];
    session.run(&user, &create);
    session.run(&user, &["iam", "terms", "list", "dev"]);
    session.run(&user, &["iam", "terms", "accept", "dev", "--documents", "roles-tos.v1"]);
    session.run(&user, &["iam", "terms", "accept", "dev", "--documents", "other.v1", "-y"]);
    session.run(&user, &["iam", "terms", "accept", "dev", "--documents", "roles-tos.v1", "-y"]);
    session.run(&user, &["iam", "terms", "list", "dev"]);
    user.id(&create);
    session.check("iam_terms_every_verb");
}
