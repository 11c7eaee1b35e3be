//! `provost images repos`

use tempfile::TempDir;

use crate::support::{PROVOST, Server, Transcript, User, finish};

#[test]
fn every_verb() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let nginx = user.id(&[
        "images",
        "repos",
        "create",
        "nginx",
        "--parent",
        "dev",
        "-d",
        "A web server",
        "--tier",
        "base",
        "--bundles",
        "base,byol",
    ]);
    assert!(nginx.starts_with(&format!("{}/", server.organization)));
    session.run(&user, &["images", "repos", "create", "nginx", "--parent", "dev"]);
    session.run(&user, &["images", "repos", "list"]);
    session.run(&user, &["images", "repos", "list", "-o", "json"]);
    assert_eq!(user.id(&["image", "repo", "ls", "--parent", "dev", "--repo", "nginx"]), nginx);
    assert_eq!(user.done(&["images", "repos", "list", "--repo", "other", "-o", "id"]), "");
    session.run(&user, &["images", "repos", "delete", "nginx"]);
    let mut confirmed = user.command(PROVOST);
    confirmed.env("PROVOST_YES", "1").args(["images", "repos", "delete", "nginx"]);
    session.add("PROVOST_YES=1 provost images repos delete nginx", &finish(&mut confirmed, ""));
    session.run(&user, &["images", "repos", "delete", "nginx", "-y"]);
    assert_eq!(user.run(&["images", "repos", "delete", "nginx", "-y", "--allow-missing"]).code, 0);
    assert_eq!(user.run(&["images", "repos", "delete", &nginx, "-y", "--allow-missing"]).code, 0);
    session.check("images_every_verb");
}
