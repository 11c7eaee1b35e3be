//! Sessions under the settings of now, whatever they were when somebody logged in.

use std::{sync::Arc, time::Duration};

use domain::{Rule, Timestamp, iam::identity::user_uid};
use sts::{Exchange, ExchangeRequest, Issuers, Limits, Provider, RootKey, Sessions, Settings, Tokens, Workers};

use crate::support::{
    p256,
    upstream::{fitting, issuer, settings, sign},
    world::{NOW, US, World, claim_match},
};

/// A server with other settings on the same store.
fn server(world: &World, settings: Settings) -> Exchange {
    let settings = Arc::new(settings);
    let root = RootKey::open(&world.folder.path().join("key")).expect("the key");
    let tokens = Tokens::new(settings.clone(), world.keys.clone());
    let sessions = Sessions::new(world.store.clone(), &root, settings.clone()).expect("keys");
    let (issuers, workers) = (Issuers::new(&settings), Workers::new(&settings));
    Exchange::new(world.store.clone(), tokens, sessions, issuers, settings, workers)
}

async fn renew(world: &World, exchange: &Exchange, token: &str, at: Timestamp) -> Result<String, Rule> {
    let granted = exchange.refresh(&world.ctx(token, at), ExchangeRequest::default()).await;
    granted.map(|granted| granted.refresh_token.expect("a refresh token").token.expose().clone()).map_err(|error| error.rule())
}

#[tokio::test]
async fn the_settings_of_now_decide() {
    let key = p256();
    let upstream = issuer(&key).await;
    let provider = |audiences: &[&str]| Provider {
        issuer: upstream.uri(),
        audiences: audiences.iter().map(|audience| (*audience).to_owned()).collect(),
    };
    let with = |providers: Vec<Provider>, limits: Limits| Settings { providers, limits, ..settings() };
    let ours = || with(vec![provider(&[])], Limits::default());
    let world = World::new(ours()).await;
    world.identity_at(user_uid(&upstream.uri(), "s"), claim_match(&upstream.uri(), "s")).await;
    let login = async |exchange: &Exchange| {
        let ctx = world.ctx(&sign(&key, &fitting(&upstream.uri())), NOW);
        exchange.exchange(&ctx, ExchangeRequest::default()).await.expect("a token").refresh_token
    };

    let token = login(&world.exchange).await.expect("a refresh token").token.expose().clone();
    let nobody = Limits { sessions_per_user: 0, ..Limits::default() };
    assert!(login(&server(&world, with(vec![provider(&[])], nobody))).await.is_none());
    let short = |lifetime: u64, idle: u64| Limits {
        session_lifetime: Duration::from_secs(lifetime),
        session_idle: Duration::from_secs(idle),
        ..Limits::default()
    };
    let later = NOW.plus_seconds(100);
    for (what, settings, rule) in [
        ("no sessions", with(vec![provider(&[])], nobody), Rule::TokenRevoked),
        ("no such provider", with(Vec::new(), Limits::default()), Rule::TokenRevoked),
        ("another client", with(vec![provider(&["another"])], Limits::default()), Rule::TokenRevoked),
        ("a shorter life", with(vec![provider(&[])], short(100, 1000)), Rule::TokenExpired),
        ("a shorter life without use", with(vec![provider(&[])], short(1000, 100)), Rule::TokenExpired),
    ] {
        assert_eq!(renew(&world, &server(&world, settings), &token, later).await, Err(rule), "{what}");
    }
    let named = server(&world, with(vec![provider(&["another", US])], Limits::default()));
    let next = renew(&world, &named, &token, later).await.expect("the same client by name");
    renew(&world, &world.exchange, &next, later).await.expect("another token");
}
