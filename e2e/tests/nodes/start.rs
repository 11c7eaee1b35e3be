//! Nodes that start at the same time on an empty database, with the key that all of them were given.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, sync::Arc};

use client::{Token, http::Request};
use contract::chainguard::platform::iam::v2beta1::{ListRolesRequest, rpc::ListRoles};
use domain::{Clock, Entropy};
use server::{Running, Settings, assemble};
use store::signing_keys;
use testkit::{CountedEntropy, Doors, FixedClock};

/// They agree on one schema, one set of built-in roles and one signing key, and each takes the other's tokens.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn all_start_at_once_on_an_empty_database() {
    let Some(cluster) = pgcluster::shared() else { return };
    let database = cluster.database();
    let folder = tempfile::tempdir().expect("a folder");
    let (clock, entropy) = (Arc::new(FixedClock::default()), Arc::new(CountedEntropy::default()));
    let key = folder.path().join("key");
    fs::write(&key, "0123456789abcdef".repeat(4)).expect("a key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("its owner may");
    let starting = (0..4).map(|number| {
        let settings = settings(&database.url(), &folder.path().join(format!("node-{number}")), &key);
        let (clock, entropy): (Arc<dyn Clock>, Arc<dyn Entropy>) = (clock.clone(), entropy.clone());
        tokio::spawn(assemble(settings, clock, entropy))
    });
    let starting: Vec<_> = starting.collect();
    let mut nodes: Vec<Running> = Vec::new();
    for node in starting {
        nodes.push(node.await.expect("no panic").expect("the node starts"));
    }
    let keys = signing_keys::list(&mut nodes[0].store().reader().await.expect("a snapshot")).await.expect("the keys");
    assert_eq!(keys.len(), 1, "one signing key");
    let mut tables = Vec::new();
    for node in &nodes {
        let base = format!("http://{}", node.addr);
        let nobody = Doors::open(&base, None).await;
        let ready = nobody.http().send(Request::get("/readyz")).await.expect("an answer");
        assert_eq!(ready.status, 200, "{}", ready.text());
        for mints in &nodes {
            let token = mints.operators.token(std::time::Duration::from_mins(1), "test").await.expect("a token");
            let operator = nobody.with_token(Some(Token::new(token.expose().as_str())));
            let roles = operator.grpc().call::<ListRoles>(ListRolesRequest { page_size: 200, ..ListRolesRequest::default() });
            tables.push(roles.await.expect("the roles"));
        }
    }
    assert!(tables[0].total_count() > 3, "the built-in roles are there");
    assert!(tables.iter().all(|table| *table == tables[0]), "everybody sees the same roles");
    for node in nodes {
        node.stop().await;
    }
}

/// The second one would take the first one's admin socket away, and remove it when it stops.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_data_folder_is_for_one_node() {
    let Some(cluster) = pgcluster::shared() else { return };
    let database = cluster.database();
    let folder = tempfile::tempdir().expect("a folder");
    let (clock, entropy) = (Arc::new(FixedClock::default()), Arc::new(CountedEntropy::default()));
    let key = folder.path().join("key");
    let settings = settings(&database.url(), &folder.path().join("data"), &key);
    let start = || assemble(settings.clone(), clock.clone(), entropy.clone());
    let first = start().await.expect("the node starts");
    let refused = start().await.map(drop).expect_err("the folder is taken");
    assert!(refused.to_string().contains("give each one a data folder of its own"), "{refused}");
    first.stop().await;
    start().await.expect("the folder is free").stop().await;
}

fn settings(url: &str, data: &Path, key: &Path) -> Settings {
    let database = store::Database::Postgres(store::Postgres::parse(url).expect("a URL"));
    Settings {
        database,
        key_file: Some(key.to_owned()),
        base_url: Some("http://localhost:8080".to_owned()),
        dev: false,
        ..Settings::dev(([127, 0, 0, 1], 0).into(), data)
    }
}
