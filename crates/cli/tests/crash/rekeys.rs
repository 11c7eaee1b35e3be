//! Kills while the key-encryption key changes: what the old key has encrypted and vouched for stands, by one key or the other.
#![expect(clippy::indexing_slicing, reason = "the values of JSON are there")]

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::PoisonError,
    time::Duration,
};

use client::{Client, Token};
use contract::chainguard::platform::iam::v2beta1::{
    CreateIdentityProviderRequest, IdentityProvider, UpdateIdentityProviderRequest,
    identity_provider::{Configuration, Oidc},
    rpc::{CreateIdentityProvider, UpdateIdentityProvider},
};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::{
    ALONE,
    crashes::{any_below, rounds},
    creations,
    support::{self, Server, User},
    victims::{Place, Victim},
};

/// More than are encrypted anew in one write.
const PROVIDERS: usize = 120;
/// Longer than a change takes here.
const CHANGE: u64 = 150_000;

#[test]
fn a_change_of_the_key_survives_kill_9() {
    kill_while_the_key_changes(&Place::new(None));
}

#[test]
fn a_change_of_the_key_survives_kill_9_on_postgresql() {
    let Some(cluster) = pgcluster::shared() else { return };
    kill_while_the_key_changes(&Place::new(Some(cluster.database())));
}

fn kill_while_the_key_changes(place: &Place) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut server = place.start("127.0.0.1:0");
    let (listen, data) = (server.listen().to_owned(), place.data.path().to_owned());
    let token = Token::new(User::admin(&server).done(&["auth", "token"]));
    let made = make(&runtime, &server, &token);
    for _ in 0..rounds() {
        prepared(&data);
        let mut change = Command::new(support::PROVOST);
        change.args(["admin", "rekey", "-y", "--data"]).arg(&data).stdout(Stdio::null()).stderr(Stdio::null());
        let mut change = change.spawn().expect("the program starts");
        std::thread::sleep(Duration::from_micros(any_below(CHANGE)));
        place.kill(Victim::Server, &mut server, Duration::ZERO);
        // Whether it was done in time is told by nobody.
        change.wait().expect("it ends");
        server = place.start(&listen);
        is_whole(&data);
        are_kept(&runtime, &server, &token, &made);
    }
    prepared(&data);
    let changed = json(&data, &["rekey", "-y"]);
    assert_eq!(changed["client_secrets"], PROVIDERS);
    for entry in fs::read_dir(&data).expect("the folder").flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "old") {
            fs::remove_file(entry.path()).expect("removed");
        }
    }
    server.kill();
    let server = place.start(&listen);
    are_kept(&runtime, &server, &token, &made);
}

/// Makes the next key, where a change before it was killed too early to use it.
fn prepared(data: &Path) {
    json(data, &["rekey", "--prepare"]);
}

fn json(data: &Path, line: &[&str]) -> Value {
    let mut command = Command::new(support::PROVOST);
    command.arg("admin").args(line).args(["-o", "json", "--data"]).arg(data);
    let ran = support::finish(&mut command, "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// Nothing is found, and every code was compared.
fn is_whole(data: &Path) {
    let told = json(data, &["check"]);
    assert_eq!(told["findings"], Value::Array(Vec::new()), "{told:#}");
    assert!(!told["remarks"].to_string().contains("codes"), "{told:#}");
}

fn make(runtime: &Runtime, server: &Server, token: &Token) -> Vec<IdentityProvider> {
    runtime.block_on(async {
        let client = Client::connect(&server.url, Some(token.clone())).await.expect("a server");
        let mut made = Vec::new();
        for number in 0..PROVIDERS {
            let request =
                CreateIdentityProviderRequest { parent: server.organization.clone(), identity_provider: Some(provider(number)) };
            made.push(client.call::<CreateIdentityProvider>(request).await.expect("made"));
        }
        made
    })
}

fn provider(number: usize) -> IdentityProvider {
    let oidc = Oidc {
        issuer: "https://issuer.example".into(),
        client_id: "provost".into(),
        client_secret: format!("secret {number}"),
        ..Oidc::default()
    };
    IdentityProvider {
        name: format!("login-{number}"),
        default_role: creations::viewer(),
        configuration: Some(Configuration::Oidc(oidc)),
        ..IdentityProvider::default()
    }
}

/// Each secret is what it was: sent again it changes nothing, which a server that cannot decrypt the one it has would not know.
fn are_kept(runtime: &Runtime, server: &Server, token: &Token, made: &[IdentityProvider]) {
    runtime.block_on(async {
        let client = Client::connect(&server.url, Some(token.clone())).await.expect("a server");
        for (number, made) in made.iter().enumerate() {
            let same = IdentityProvider { uid: made.uid.clone(), ..provider(number) };
            let request = UpdateIdentityProviderRequest { identity_provider: Some(same), update_mask: None };
            assert_eq!(&client.call::<UpdateIdentityProvider>(request).await.expect("updated"), made);
        }
    });
}
