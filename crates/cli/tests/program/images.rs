//! `provost images`

use tempfile::TempDir;

use crate::support::{PROVOST, Server, Transcript, User, finish};

#[test]
fn every_verb_of_repos() {
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
    session.run(&user, &["images", "repos", "update", "nginx"]);
    let changes = ["--aliases", "web:latest,web:1", "--active-tags", "latest", "--bundles", "", "--tier", "fips", "-d", ""];
    user.done(&[&["images", "repos", "update", "nginx"][..], &changes].concat());
    session.run(&user, &["images", "repos", "describe", "nginx"]);
    session.run(&user, &["images", "repos", "readme", "nginx", "--file", "nowhere.md"]);
    session.run(&user, &["images", "repos", "readme", "nginx", "--file", "-"]);
    let token = user.run_on(data.path(), &["admin", "token", "--ttl", "5m"]);
    let operator = User::with_token(&server, token.stdout.trim());
    let written = operator.piped(&["images", "repos", "readme", "nginx", "--file", "-"], "# nginx\n\nA web server\n");
    session.add("provost images repos readme nginx --file -", &written);
    assert_eq!(user.json(&["images", "repos", "readme", "nginx"])["content"], "# nginx\n\nA web server\n");
    session.run(&user, &["images", "repos", "delete", "nginx"]);
    let mut confirmed = user.command(PROVOST);
    confirmed.env("PROVOST_YES", "1").args(["images", "repos", "delete", "nginx"]);
    session.add("PROVOST_YES=1 provost images repos delete nginx", &finish(&mut confirmed, ""));
    session.run(&user, &["images", "repos", "delete", "nginx", "-y"]);
    assert_eq!(user.run(&["images", "repos", "delete", "nginx", "-y", "--allow-missing"]).code, 0);
    assert_eq!(user.run(&["images", "repos", "delete", &nginx, "-y", "--allow-missing"]).code, 0);
    session.check("images_repos_every_verb");
}

#[test]
fn every_verb_of_tags() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    user.id(&["images", "repos", "create", "nginx", "--parent", "dev"]);
    let (one, two) = (format!("sha256:{}", "1".repeat(64)), format!("sha256:{}", "2".repeat(64)));
    let made = user.id(&["images", "tags", "create", "dev/nginx:1.2", "--digest", &one]);
    assert_eq!(user.id(&["images", "tags", "create", "nginx:1.2", "--digest", &two]), made, "it moves");
    user.id(&["images", "tags", "create", "nginx:1.2-r3", "--digest", &two]);
    session.run(&user, &["images", "tags", "list", "nginx"]);
    session.run(&user, &["images", "tags", "list", "nginx", "--all", "--digest", &two, "-o", "csv"]);
    session.run(&user, &["images", "tags", "describe", "nginx:1.2-r3"]);
    session.run(&user, &["images", "tags", "describe", "nginx:1.3"]);
    session.run(&user, &["images", "tags", "describe", "nginx"]);
    session.run(&user, &["images", "tags", "create", "nginx:1.3", "--digest", "1"]);
    session.run(&user, &["images", "tags", "delete", "nginx:1.2"]);
    assert_eq!(user.id(&["image", "tag", "rm", "nginx:1.2", "-y"]), made);
    assert_eq!(user.run(&["images", "tags", "describe", &made]).code, 5);
    session.check("images_tags_every_verb");
}

#[test]
fn every_verb_of_overlays() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let of = |line: &[&'static str]| [&["images", "overlays"], line].concat();
    user.id(&["images", "repos", "create", "nginx", "--parent", "dev"]);
    session.run(&user, &of(&["create", "tools", "--parent", "dev", "--packages", "curl,jq"]));
    session.run(&user, &of(&["create", "tools", "--parent", "dev", "--packages", "curl"]));
    session.run(&user, &of(&["list"]));
    session.run(&user, &of(&["describe", "tools", "-o", "json"]));
    let bound = user.id(&of(&["bindings", "create", "--overlay", "tools", "--repo", "nginx", "--tags", "1.2,latest"]));
    session.run(&user, &of(&["bindings", "list", "--overlay", "tools"]));
    session.run(&user, &[&of(&["bindings", "describe"])[..], &[&bound]].concat());
    session.run(&user, &of(&["delete", "tools", "-y"]));
    session.run(&user, &[&of(&["bindings", "delete"])[..], &[&bound]].concat());
    assert_eq!(user.id(&[&of(&["binding", "rm", "-y"])[..], &[&bound]].concat()), bound);
    user.id(&of(&["delete", "tools", "-y"]));
    assert_eq!(user.id(&of(&["list"])), "");
    session.check("images_overlays_every_verb");
}

#[test]
fn every_verb_of_deployments() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let of = |line: &[&'static str]| [&["images", "deployments"], line].concat();
    user.id(&["images", "repos", "create", "nginx", "--parent", "dev"]);
    session.run(&user, &of(&["describe", "nginx"]));
    session.run(&user, &of(&["set", "nginx", "--chart-repo", "https://charts.example.com", "--chart", "web"]));
    session.run(&user, &of(&["set", "nginx", "--chart-repo", "oci://charts.example.com/web", "--source", "ours"]));
    session.run(&user, &of(&["describe", "nginx", "-o", "json"]));
    session.run(&user, &of(&["delete", "nginx"]));
    session.run(&user, &of(&["delete", "nginx", "-y"]));
    session.run(&user, &of(&["describe", "nginx"]));
    session.check("images_deployments_every_verb");
}

#[test]
fn what_is_public() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let of = |line: &[&'static str]| [&["images", "visibility"], line].concat();
    user.id(&["images", "repos", "create", "nginx", "--parent", "dev"]);
    session.run(&user, &of(&["describe", "--repo", "nginx"]));
    session.run(&user, &of(&["set", "public", "--repo", "nginx"]));
    session.run(&user, &of(&["set", "public", "--repo", "nginx", "-y"]));
    session.run(&user, &of(&["set", "private", "--repo", "nginx"]));
    session.run(&user, &of(&["set", "public", "--group", "dev", "-y"]));
    assert_eq!(user.json(&of(&["describe", "--repo", "nginx"]))["public_by"], server.organization.as_str());
    session.run(&user, &of(&["describe", "--repo", "nginx"]));
    session.run(&user, &of(&["describe"]));
    session.check("images_what_is_public");
}

#[test]
fn what_holds_for_all_repos() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let token = user.run_on(data.path(), &["admin", "token", "--ttl", "5m"]);
    let operator = User::with_token(&server, token.stdout.trim());
    session.run(&user, &["images", "settings", "describe", "dev"]);
    session.run(&user, &["images", "settings", "set", "dev", "--unique-tags", "true"]);
    session.run(&operator, &["images", "settings", "set", "dev", "--unique-tags", "true"]);
    session.run(&operator, &["images", "settings", "set", "dev", "--eol-grace-period", "true"]);
    assert_eq!(user.json(&["images", "settings", "describe", "dev"])["unique_tags"], true);
    session.check("images_what_holds_for_all_repos");
}
