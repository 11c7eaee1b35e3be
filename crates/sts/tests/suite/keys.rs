//! Signing keys at rest and in rotation, API tokens and operators.

use std::{sync::Arc, time::Duration};

use crate::support::{
    b64, p256,
    upstream::{fitting, issuer, settings, sign},
    world::{NOW, Standing, US, World, claim_match, open, target},
};
use domain::{
    CapabilitySet, Ctx, Kind, Rule, Secret,
    iam::identity::operator_uid,
    ports::{Authenticate, Fitness, Ready},
};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde_json::{Value, json};
use store::audit;
use sts::{
    ExchangeRequest, RootKey, Settings, SigningKeys, discovery_document,
    jws::TokenAlgorithm,
    keys::{KeyState, Rotation},
};

async fn operator(world: &World) -> Secret<String> {
    world.operators.operator_token(&world.ctx("", NOW), Duration::from_mins(10), "alice").await.expect("a token")
}

#[tokio::test]
async fn operators_hold_everything_for_an_hour_at_most_and_are_audited() {
    let world = World::new(Settings::new(US)).await;
    let token = operator(&world).await;
    let (caller, grants) = world.authenticate(token.expose(), NOW).await.expect("a caller");
    assert!(caller.operator && caller.identity == operator_uid());
    assert_eq!(caller.upstream.clone().map(|upstream| (upstream.iss, upstream.sub)), Some(("provost:os".into(), "alice".into())));
    assert!(grants.places().next().is_none() && grants.everywhere() == Some(CapabilitySet::ALL));
    let mut reader = world.store.reader().await.expect("a reader");
    let entry = audit::newest(&mut reader, 1).await.expect("entries").remove(0);
    assert_eq!(
        (entry.actor, entry.upstream.map(|upstream| upstream.sub), entry.token_id),
        (operator_uid().to_string(), Some("alice".into()), Some(caller.token_id.clone()))
    );
    assert_eq!(world.authenticate(token.expose(), NOW.plus_seconds(600)).await.expect_err("expired").rule(), Rule::TokenExpired);
    for (ttl, user) in [(0, "alice"), (3601, "alice"), (60, ""), (60, "a\nb")] {
        let error =
            world.operators.operator_token(&world.ctx("", NOW), Duration::from_secs(ttl), user).await.expect_err("refused");
        assert_eq!(error.kind(), Kind::InvalidArgument);
    }
    let narrowed = ExchangeRequest { capabilities: vec!["groups.list".into()], ..ExchangeRequest::default() };
    let less = world.exchange(token.expose(), narrowed).await.expect("less");
    let (caller, _) = world.authenticate(less.token.expose(), NOW).await.expect("a caller");
    assert_eq!(caller.narrowing.capabilities.map(|set| set.names()), Some(vec!["groups.list"]));
}

#[tokio::test]
async fn only_our_own_tokens_are_api_tokens() {
    let world = World::new(Settings::new(US)).await;
    let good = operator(&world).await.expose().clone();
    let parts: Vec<_> = good.split('.').collect();
    let claims = |name: &str, value: Value| {
        let bytes = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, parts[1]).expect("base64url");
        let mut claims: Value = serde_json::from_slice(&bytes).expect("JSON");
        claims[name] = value;
        claims
    };
    let kid = world.keys.ring().active_key_id(NOW);
    let evil = p256();
    for (token, rule, part) in [
        (String::new(), Rule::TokenMissing, "bearer"),
        ("x".to_owned(), Rule::TokenInvalid, "segments"),
        (format!("{}.{}.{}", parts[0], b64(claims("sub", json!("x")).to_string()), parts[2]), Rule::TokenInvalid, "signature"),
        (evil.token(Algorithm::ES256, kid.as_deref(), &claims("x", json!(1))), Rule::TokenInvalid, "signature"),
        (evil.token(Algorithm::ES256, Some("other"), &claims("x", json!(1))), Rule::TokenInvalid, "no key"),
        (evil.token(Algorithm::ES256, None, &claims("x", json!(1))), Rule::TokenInvalid, "no key"),
        (
            evil.token(Algorithm::ES256, kid.as_deref(), &claims("iss", json!("https://evil.example"))),
            Rule::TokenInvalid,
            "not one of this server's",
        ),
    ] {
        let error = world.authenticate(&token, NOW).await.expect_err("refused");
        assert_eq!((error.kind(), error.rule()), (Kind::Unauthenticated, rule), "{error}");
        assert!(error.message().contains(part), "{error}");
    }
    let public: Value = world.keys.ring().jwks(NOW);
    let header = Header { kid, ..Header::new(Algorithm::HS256) };
    let forged = jsonwebtoken::encode(&header, &claims("x", json!(1)), &EncodingKey::from_secret(public.to_string().as_bytes()))
        .expect("a token");
    assert!(world.authenticate(&forged, NOW).await.expect_err("refused").message().contains("alg"));
    // Tokens of another installation with the same names.
    let other = World::new(Settings::new(US)).await;
    assert_eq!(other.authenticate(&good, NOW).await.expect_err("refused").rule(), Rule::TokenInvalid);
}

fn kids(keys: &Value) -> Vec<String> {
    keys["keys"].as_array().expect("keys").iter().map(|key| key["kid"].as_str().expect("a kid").to_owned()).collect()
}

async fn operator_at(world: &World, seconds: i64) -> Secret<String> {
    let ctx = world.ctx("", NOW.plus_seconds(seconds));
    world.operators.operator_token(&ctx, Duration::from_mins(10), "alice").await.expect("a token")
}

fn key_of(token: &Secret<String>) -> String {
    jsonwebtoken::decode_header(token.expose()).expect("a header").kid.expect("a kid")
}

#[tokio::test]
async fn a_rotation_keeps_old_tokens_good_until_they_expire() {
    let world = World::new(Settings::new(US)).await;
    let ring = world.keys.ring();
    let at = |seconds: i64| NOW.plus_seconds(seconds);
    let ctx = |seconds: i64| Ctx::system("sts.rotate", at(seconds), world.entropy.clone());
    let (old, old_key) = (operator(&world).await, ring.active_key_id(NOW).expect("a key"));
    let rotated = world.keys.rotate(&ctx(10), Rotation::Planned).await.expect("rotated");
    let new_key = rotated.key_id;
    assert_eq!((rotated.state, rotated.signs_from), (KeyState::Next, at(130)));
    world.keys.check().await.expect("ready");
    // Published at once, it signs only when every verifier can have seen it.
    assert_eq!(kids(&ring.jwks(at(10))), [new_key.clone(), old_key.clone()]);
    assert_eq!(key_of(&operator_at(&world, 129).await), old_key);
    assert_eq!(key_of(&operator_at(&world, 130).await), new_key);
    world.authenticate(old.expose(), at(599)).await.expect("still good");
    world.authenticate(operator_at(&world, 130).await.expose(), at(131)).await.expect("good");
    // Two hours later the old key is neither published nor believed, and the next rotation deletes it.
    assert_eq!(kids(&ring.jwks(at(130 + 7200))), std::slice::from_ref(&new_key));
    let third = world.keys.rotate(&ctx(130 + 7200), Rotation::Planned).await.expect("rotated").key_id;
    let listed = world.keys.list(at(130 + 7200)).await.expect("keys");
    let told: Vec<_> = listed.iter().map(|key| (key.key_id.clone(), key.state)).collect();
    assert_eq!(told, [(third, KeyState::Next), (new_key, KeyState::Signs)]);
}

#[tokio::test]
async fn one_rotation_at_a_time() {
    let world = World::new(Settings::new(US)).await;
    let ctx = |seconds: i64| Ctx::system("sts.rotate", NOW.plus_seconds(seconds), world.entropy.clone());
    world.keys.rotate(&ctx(0), Rotation::Planned).await.expect("rotated");
    let error = world.keys.rotate(&ctx(119), Rotation::Planned).await.expect_err("refused");
    assert_eq!(error.kind(), Kind::FailedPrecondition);
    assert!(error.message().contains("waits for its time"), "{error}");
    world.keys.rotate(&ctx(120), Rotation::Planned).await.expect("rotated");
    // What is urgent does not wait.
    world.keys.rotate(&ctx(121), Rotation::Now).await.expect("rotated");
}

#[tokio::test]
async fn an_urgent_rotation_ends_the_old_tokens() {
    let world = World::new(Settings::new(US)).await;
    let old = operator(&world).await;
    let ctx = Ctx::system("sts.rotate", NOW, world.entropy.clone());
    let new_key = world.keys.rotate(&ctx, Rotation::Now).await.expect("rotated").key_id;
    assert_eq!(kids(&world.keys.ring().jwks(NOW)), std::slice::from_ref(&new_key));
    assert_eq!(world.authenticate(old.expose(), NOW).await.expect_err("refused").rule(), Rule::TokenInvalid);
    world.authenticate(operator(&world).await.expose(), NOW).await.expect("good");
}

/// The algorithm in a token's header.
fn algorithm_of(token: &Secret<String>) -> Algorithm {
    jsonwebtoken::decode_header(token.expose()).expect("a header").alg
}

#[tokio::test]
async fn keys_of_both_algorithms_are_published_and_rotated_alike() {
    let world = World::new(Settings::new(US)).await;
    let old = operator(&world).await;
    // Another node, or the same one after its setting has changed.
    let settings = Arc::new(Settings { token_algorithm: TokenAlgorithm::Rs256, ..Settings::new(US) });
    assert_eq!(discovery_document(&settings)["id_token_signing_alg_values_supported"], json!(["RS256", "ES256"]));
    let root = Arc::new(RootKey::open(&world.folder.path().join("key")).expect("a key"));
    let open = async || {
        let ctx = Ctx::system("sts.keys", NOW, world.entropy.clone());
        let keys = SigningKeys::open(world.store.clone(), Arc::clone(&root), &settings, Arc::new(Standing), &ctx);
        let keys = keys.await.expect("keys");
        let tokens = sts::Tokens::new(settings.clone(), keys.clone());
        (keys, sts::Operators::new(world.store.clone(), tokens, settings.clone()))
    };
    let (keys, operators) = open().await;
    assert_eq!(kids(&open().await.0.ring().jwks(NOW)).len(), 2, "the second start makes none");
    let minted = async |seconds: i64| {
        let ctx = world.ctx("", NOW.plus_seconds(seconds));
        operators.operator_token(&ctx, Duration::from_mins(10), "alice").await.expect("a token")
    };
    let (before, new) = (minted(119).await, minted(120).await);
    let algorithms = [&old, &before, &new].map(algorithm_of);
    assert_eq!(algorithms, [Algorithm::ES256, Algorithm::ES256, Algorithm::RS256], "the new one is published before it signs");
    for token in [&old, &new] {
        world.authenticate(token.expose(), NOW.plus_seconds(120)).await.expect("good on the node that signs otherwise");
    }
    let ctx = |seconds: i64| Ctx::system("sts.rotate", NOW.plus_seconds(seconds), world.entropy.clone());
    world.keys.reload(NOW.plus_seconds(120)).await.expect("reloaded");
    world.keys.rotate(&ctx(120), Rotation::Planned).await.expect("rotated");
    keys.reload(NOW.plus_seconds(120)).await.expect("reloaded");
    assert_eq!(kids(&keys.ring().jwks(NOW)).len(), 4);
    assert_eq!(key_of(&minted(239).await), key_of(&new));
    let next = minted(240).await;
    assert!(algorithm_of(&next) == Algorithm::RS256 && key_of(&next) != key_of(&new));
    assert_eq!(algorithm_of(&operator_at(&world, 240).await), Algorithm::ES256);
    let now = NOW.plus_seconds(241);
    keys.rotate(&ctx(241), Rotation::Now).await.expect("rotated");
    world.keys.reload(now).await.expect("reloaded");
    assert_eq!(kids(&world.keys.ring().jwks(now)).len(), 2);
    for token in [&old, &new, &next] {
        assert_eq!(world.authenticate(token.expose(), now).await.expect_err("refused").rule(), Rule::TokenInvalid);
    }
    world.authenticate(operator_at(&world, 241).await.expose(), now).await.expect("good");
    world.authenticate(minted(241).await.expose(), now).await.expect("good");
}

/// Another node on the same database.
async fn node(world: &World) -> (SigningKeys, sts::Authenticator) {
    let root = Arc::new(RootKey::open(&world.folder.path().join("key")).expect("a key"));
    let ctx = Ctx::system("sts.keys", NOW, world.entropy.clone());
    let keys = SigningKeys::open(world.store.clone(), root, &world.settings, Arc::new(Standing), &ctx).await;
    let keys = keys.expect("keys");
    let tokens = sts::Tokens::new(world.settings.clone(), keys.clone());
    (keys, sts::Authenticator::new(tokens, US))
}

#[tokio::test]
async fn another_node_learns_of_a_rotation_by_the_first_token_or_the_next_reload() {
    let world = World::new(Settings::new(US)).await;
    let (idle, asked) = (node(&world).await, node(&world).await);
    let ctx = Ctx::system("sts.rotate", NOW, world.entropy.clone());
    let old = operator(&world).await;
    world.keys.rotate(&ctx, Rotation::Planned).await.expect("rotated");
    let new = operator_at(&world, 120).await;
    let now = NOW.plus_seconds(121);
    for token in [&old, &new] {
        asked.1.authenticate(token.lend(), now).await.expect("good on the other node");
    }
    assert_eq!(asked.0.ring().jwks(now), world.keys.ring().jwks(now));
    assert_ne!(idle.0.ring().jwks(now), world.keys.ring().jwks(now), "nothing told it yet");
    let stop = tokio::sync::Notify::new();
    let keeping = idle.0.clone().keep(stop.notified());
    let learned = async {
        while idle.0.ring().jwks(now) != world.keys.ring().jwks(now) {
            tokio::task::yield_now().await;
        }
        stop.notify_one();
    };
    tokio::join!(keeping, learned);
    assert_eq!(idle.0.ring().active_key_id(now), Some(key_of(&new)));
}

/// A node whose memory holds nobody reads an identity and learns with it that the key of its token was removed; one that was
/// only published changes nothing.
#[tokio::test]
async fn a_removed_key_is_not_believed_for_an_identity_that_is_not_remembered() {
    let (world, key) = (World::new(settings()).await, p256());
    let server = issuer(&key).await;
    let mut robots = Vec::new();
    for _ in 0..3 {
        let identity = world.identity(claim_match(&server.uri(), "s")).await;
        let token = world.exchange(&sign(&key, &fitting(&server.uri())), target(&identity)).await.expect("a token");
        robots.push(token.token);
    }
    let (_, other) = node(&world).await;
    other.authenticate(robots[0].lend(), NOW).await.expect("good");
    let ctx = Ctx::system("sts.rotate", NOW, world.entropy.clone());
    world.keys.rotate(&ctx, Rotation::Planned).await.expect("rotated");
    other.authenticate(robots[1].lend(), NOW).await.expect("good");
    world.keys.rotate(&world.ctx("", NOW.plus_seconds(120)), Rotation::Now).await.expect("rotated");
    let error = other.authenticate(robots[2].lend(), NOW).await.expect_err("refused");
    assert_eq!(error.rule(), Rule::TokenInvalid, "{error}");
}

#[tokio::test]
async fn a_node_that_cannot_read_the_keys_refuses_and_signs_nothing() {
    let world = World::new(Settings::new(US)).await;
    let (keys, authenticator) = node(&world).await;
    let tokens = sts::Tokens::new(world.settings.clone(), keys.clone());
    let operators = sts::Operators::new(world.store.clone(), tokens, world.settings.clone());
    let token = operator(&world).await;
    let ctx = |seconds: i64| world.ctx("", NOW.plus_seconds(seconds));
    world.keys.rotate(&ctx(0), Rotation::Planned).await.expect("rotated");
    keys.reload(NOW).await.expect("reloaded");
    world.keys.rotate(&ctx(120), Rotation::Now).await.expect("rotated");
    world.store.close().await;
    // A key was removed, and it cannot find out which: it lets nobody in, and signs nothing.
    let error = authenticator.authenticate(token.lend(), NOW.plus_seconds(599)).await.expect_err("refused");
    assert_eq!(error.kind(), Kind::Unavailable);
    assert!(error.message().contains("cannot check permissions"), "{error}");
    let error = operators.operator_token(&ctx(120), Duration::from_mins(1), "alice").await.expect_err("refused");
    assert_eq!(error.kind(), Kind::Unavailable);
    let ring = keys.ring();
    assert_eq!(kids(&ring.jwks(NOW.plus_seconds(120))).len(), 2);
    assert_ne!(ring.active_key_id(NOW.plus_seconds(120)), Some(key_of(&token)), "the plan that it knows");
    // An hour without news is too long to sign with anything.
    let error = operators.operator_token(&ctx(3600), Duration::from_mins(1), "alice").await.expect_err("refused");
    assert_eq!(error.kind(), Kind::Unavailable);
}

#[tokio::test]
async fn keys_survive_a_restart_encrypted_and_need_their_key_file() {
    let world = World::new(Settings::new(US)).await;
    let (token, kid) = (operator(&world).await, world.keys.ring().active_key_id(NOW));
    let rows = store::signing_keys::list(&mut world.store.reader().await.expect("a reader")).await.expect("rows");
    assert!(
        sts::jws::SigningKey::from_pkcs8(TokenAlgorithm::Es256, &rows[0].private_key).is_err(),
        "the private key is stored in the clear"
    );
    world.store.close().await;
    let World { folder, entropy, settings, .. } = world;
    let store = open(folder.path(), &entropy).await;
    let ctx = Ctx::system("sts.keys", NOW, entropy.clone());
    let root = |path: &std::path::Path| RootKey::open_or_create(path, &*entropy).map(Arc::new).expect("a key");
    let keys = SigningKeys::open(store.clone(), root(&folder.path().join("key")), &settings, Arc::new(Standing), &ctx)
        .await
        .expect("keys");
    assert_eq!(keys.ring().active_key_id(NOW), kid);
    let tokens = sts::Tokens::new(settings.clone(), keys);
    sts::Authenticator::new(tokens, US).authenticate(token.lend(), NOW).await.expect("still good");
    let lost = folder.path().join("lost");
    let error = RootKey::of_store(&store, &lost, &*entropy).await.expect_err("refused");
    assert!(error.message().contains("put it back from your backup") && !lost.exists(), "{error}");
    let error = SigningKeys::open(store, root(&folder.path().join("another")), &settings, Arc::new(Standing), &ctx)
        .await
        .expect_err("refused");
    assert_eq!(error.kind(), Kind::FailedPrecondition);
    assert!(error.message().contains("another key file"), "{error}");
}

#[tokio::test]
async fn what_we_publish_verifies_our_tokens() {
    let world = World::new(Settings::new(US)).await;
    let document = discovery_document(&world.settings);
    assert_eq!((&document["issuer"], &document["jwks_uri"]), (&json!(US), &json!(format!("{US}/.well-known/jwks.json"))));
    assert_eq!(document["id_token_signing_alg_values_supported"], json!(["ES256", "RS256"]));
    let keys: jsonwebtoken::jwk::JwkSet = serde_json::from_value(world.keys.ring().jwks(NOW)).expect("a key set");
    let mut validation = Validation::new(Algorithm::ES256);
    validation.validate_exp = false;
    validation.set_audience(&[US]);
    validation.set_issuer(&[US]);
    let token = operator(&world).await;
    let decoded =
        jsonwebtoken::decode::<Value>(token.expose(), &DecodingKey::from_jwk(&keys.keys[0]).expect("a key"), &validation);
    assert_eq!(decoded.expect("verified").claims["sub"], operator_uid().to_string());
    assert!(!world.keys.ring().jwks(NOW).to_string().contains("\"d\""));
}

/// A row of somebody who can write to the database: its code fits here, and its halves do not.
#[tokio::test]
async fn a_key_whose_halves_do_not_belong_together_is_not_used() {
    let world = World::new(Settings::new(US)).await;
    let (token, evil) = (operator(&world).await, p256());
    let ring = world.keys.ring();
    let good = store::signing_keys::list(&mut world.store.reader().await.expect("a reader")).await.expect("rows").remove(0);
    let other = evil.named("k1").to_string();
    let rows = [
        store::signing_keys::SigningKey { kid: "k1".into(), public_jwk: other.clone(), ..good.clone() },
        store::signing_keys::SigningKey { kid: "k2".into(), private_key: vec![7; 64], public_jwk: other.clone(), ..good.clone() },
    ];
    let ctx = Ctx::system("sts.test", NOW, world.entropy.clone());
    for row in rows {
        let insert = world.store.write(&ctx, move |tx| Box::pin(async move { store::signing_keys::insert(tx, &row).await }));
        insert.await.expect("is inserted");
    }
    world.keys.reload(NOW).await.expect("the good one is there");
    assert_eq!(kids(&ring.jwks(NOW)), [good.kid]);
    let Ok(Fitness::Degraded(told)) = world.keys.check().await else { panic!("ready with less") };
    assert!(told.contains("k1") && told.contains("k2"), "{told}");
    let states: Vec<_> = world.keys.list(NOW).await.expect("keys").into_iter().map(|key| key.state).collect();
    assert_eq!(states.iter().filter(|state| **state == KeyState::Refused).count(), 2);
    world.authenticate(token.expose(), NOW).await.expect("the good one goes on");
    world.keys.rotate(&ctx, Rotation::Now).await.expect("rotated");
    assert_eq!(world.keys.list(NOW).await.expect("keys").len(), 1, "they went with the others");
    assert_eq!(world.keys.check().await.expect("ready"), Fitness::Well);
}
