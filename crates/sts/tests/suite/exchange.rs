//! The exchange and what its tokens are worth, over a real store and issuers on loopback.

use crate::support::{
    jwks, p256, rsa,
    upstream::{changed, fitting, issuer, settings, sign},
    world::{NOW, US, World, claim_match, claims, rule, target},
};
use domain::{
    Kind, Rule, Timestamp,
    iam::{
        Identity,
        identity::{ClaimMatch, Relationship, ServicePrincipal, StaticKeys, user_uid},
    },
};
use jsonwebtoken::Algorithm;
use serde_json::{Value, json};
use store::{audit, rows};
use sts::{ExchangeRequest, Provider, Settings};

#[tokio::test]
async fn a_workload_exchanges_its_token() {
    let (world, key) = (World::new(settings()).await, p256());
    let server = issuer(&key).await;
    let identity = world.identity(claim_match(&server.uri(), "s")).await;
    let upstream = changed(&changed(&fitting(&server.uri()), "email", json!("a@b.example")), "email_verified", json!(true));
    let issued = world.exchange(&sign(&key, &upstream), target(&identity)).await.expect("a token");
    assert_eq!(issued.expires_at, NOW.plus_seconds(3600));
    let expected = json!({
        "iss": US, "sub": identity.to_string(), "aud": US, "iat": NOW.seconds(), "exp": NOW.seconds() + 3600, "jti": issued.token_id,
        "act": {"iss": server.uri(), "sub": "s", "aud": US}, "email": "a@b.example", "provost": {"rev": 1},
    });
    assert_eq!(claims(&issued), expected);
    let header = jsonwebtoken::decode_header(issued.token.expose()).expect("a header");
    assert_eq!((header.alg, header.kid), (Algorithm::ES256, world.keys.ring().active_key_id(NOW)));

    world.bind(&identity, &["groups.list"]).await;
    let (caller, grants) = world.authenticate(issued.token.expose(), NOW).await.expect("a caller");
    assert_eq!((&caller.identity, caller.operator, caller.email.as_deref()), (&identity, false, Some("a@b.example")));
    assert_eq!(grants.places().map(|(_, held)| held.names()).collect::<Vec<_>>(), [vec!["groups.list"]]);

    // The exchange is in the audit log, and the identity was seen.
    world.exchange_at(&sign(&key, &upstream), target(&identity), NOW.plus_seconds(5)).await.expect("a token");
    world.store.flush().await.expect("flushed");
    let mut reader = world.store.reader().await.expect("a reader");
    let entry = audit::newest(&mut reader, 1).await.expect("entries").remove(0);
    assert_eq!((entry.actor, entry.outcome.as_str()), (identity.to_string(), audit::OK));
    assert_eq!(entry.upstream.map(|upstream| upstream.sub).as_deref(), Some("s"));
    let seen = rows::get::<Identity>(&mut reader, &identity).await.expect("read").expect("an identity").last_seen_at;
    assert_eq!(seen, NOW.plus_seconds(5));
}

#[tokio::test]
async fn a_refusal_names_the_claim_and_no_value() {
    let (world, key) = (World::new(settings()).await, p256());
    let server = issuer(&key).await;
    let rule = ClaimMatch {
        claims: [("repo".to_owned(), "acme/app".to_owned())].into(),
        claim_patterns: [("ref".to_owned(), "refs/heads/.*".to_owned())].into(),
        ..rule(&server.uri(), "s")
    };
    let identity = world.identity(Relationship::ClaimMatch(rule)).await;
    let good = changed(&changed(&fitting(&server.uri()), "repo", json!("acme/app")), "ref", json!("refs/heads/main"));
    world.exchange(&sign(&key, &good), target(&identity)).await.expect("a token");
    for (claim, value) in [
        ("sub", json!("secret-value")),
        ("aud", json!(["secret-value"])),
        ("repo", json!("secret-value")),
        ("ref", json!("x/refs/heads/secret-value")),
    ] {
        let error = world.exchange(&sign(&key, &changed(&good, claim, value)), target(&identity)).await.expect_err("refused");
        assert_eq!((error.kind(), error.rule()), (Kind::PermissionDenied, Rule::ClaimMismatch));
        assert_eq!(error.message(), format!("identity {identity} does not accept this token: invalid \"{claim}\""));
    }
    // Another issuer is refused before anybody is asked, in the words that an unknown identity gets.
    let evil = issuer(&p256()).await;
    let refused = world.exchange(&sign(&key, &fitting(&evil.uri())), target(&identity)).await.expect_err("refused");
    let nobody = world.organization.child([9; 8]);
    let unknown = world.exchange(&sign(&key, &good), target(&nobody)).await.expect_err("refused");
    assert!(refused.message().ends_with("invalid \"iss\"") && evil.received_requests().await.expect("recorded").is_empty());
    assert_eq!(refused.message().replace(&identity.to_string(), "X"), unknown.message().replace(&nobody.to_string(), "X"));
    assert_eq!((refused.kind(), unknown.kind()), (Kind::PermissionDenied, Kind::PermissionDenied));
}

#[tokio::test]
async fn tokens_are_judged_before_they_are_matched() {
    let (world, key) = (World::new(settings()).await, p256());
    let server = issuer(&key).await;
    let identity = world.identity(claim_match(&server.uri(), "s")).await;
    let good = fitting(&server.uri());
    // Until a signature holds, nothing tells that there is such an identity.
    for token in [sign(&p256(), &good), key.token(Algorithm::ES256, Some("other"), &good)] {
        let error = world.exchange(&token, target(&identity)).await.expect_err("refused");
        assert_eq!((error.kind(), error.rule()), (Kind::PermissionDenied, Rule::ClaimMismatch), "{error}");
        assert!(error.message().ends_with("invalid \"iss\""), "{error}");
    }
    for (token, rule, part) in [
        (String::new(), Rule::TokenMissing, "bearer"),
        ("x".to_owned(), Rule::TokenInvalid, "three segments"),
        ("x".repeat(20_000), Rule::TokenInvalid, "larger than 16384 bytes"),
        (sign(&key, &changed(&good, "exp", json!(NOW.seconds()))), Rule::TokenExpired, "expired"),
        (sign(&key, &changed(&good, "exp", Value::Null)), Rule::TokenInvalid, "exp"),
        (sign(&key, &changed(&good, "nbf", json!(NOW.seconds() + 61))), Rule::TokenInvalid, "nbf"),
        (sign(&key, &changed(&good, "iat", json!(NOW.seconds() + 61))), Rule::TokenInvalid, "iat"),
    ] {
        let error = world.exchange(&token, target(&identity)).await.expect_err("refused");
        assert_eq!((error.kind(), error.rule()), (Kind::Unauthenticated, rule), "{error}");
        assert!(error.message().contains(part), "{error}");
    }
    world.exchange(&sign(&key, &changed(&good, "nbf", json!(NOW.seconds() + 60))), target(&identity)).await.expect("a token");
    let hostname = changed(&good, "aud", json!("us.example.com"));
    world.exchange(&sign(&key, &hostname), target(&identity)).await.expect("the host name is an audience too");
}

#[tokio::test]
async fn an_issuer_that_is_gone_is_unavailable() {
    let (world, key) = (World::new(settings()).await, p256());
    let identity = world.identity(claim_match("http://127.0.0.1:1", "s")).await;
    let error = world.exchange(&sign(&key, &fitting("http://127.0.0.1:1")), target(&identity)).await.expect_err("down");
    assert_eq!((error.kind(), error.rule()), (Kind::Unavailable, Rule::IssuerUnavailable));
}

#[tokio::test]
async fn static_keys_need_no_network_and_expire() {
    let (world, key) = (World::new(settings()).await, rsa());
    let relationship = |expires_at: Timestamp, audiences: &[&str]| {
        Relationship::StaticKeys(StaticKeys {
            issuer: "kubernetes".into(),
            subject: "system:serviceaccount:a:b".into(),
            issuer_keys: jwks(&[key.named("k"), json!({"kty": "unknown"})]),
            expires_at,
            audiences: audiences.iter().map(|audience| (*audience).to_owned()).collect(),
        })
    };
    let identity = world.identity(relationship(NOW.plus_seconds(10), &[])).await;
    let upstream = json!({"iss": "kubernetes", "sub": "system:serviceaccount:a:b", "aud": ["x", US], "exp": NOW.seconds() + 600});
    let token = key.token(Algorithm::RS256, Some("k"), &upstream);
    let issued = world.exchange(&token, target(&identity)).await.expect("a token");
    assert_eq!(claims(&issued)["act"], json!({"iss": "kubernetes", "sub": "system:serviceaccount:a:b", "aud": US}));
    let error = world.exchange_at(&token, target(&identity), NOW.plus_seconds(10)).await.expect_err("expired");
    assert!(error.message().contains("static keys") && error.message().contains("expired"), "{error}");
    for (claim, value) in [("sub", json!("system:serviceaccount:a:c")), ("aud", json!("x")), ("iss", json!("kubernetes2"))] {
        let token = key.token(Algorithm::RS256, Some("k"), &changed(&upstream, claim, value));
        let error = world.exchange(&token, target(&identity)).await.expect_err("refused");
        assert!(error.message().ends_with(&format!("invalid \"{claim}\"")), "{error}");
    }
    let forged = rsa().token(Algorithm::RS256, Some("k"), &upstream);
    assert_eq!(world.exchange(&forged, target(&identity)).await.expect_err("refused").rule(), Rule::ClaimMismatch);
    let own_audience = world.identity(relationship(NOW.plus_seconds(10), &["mine"])).await;
    assert!(world.exchange(&token, target(&own_audience)).await.is_err());
    let mine = key.token(Algorithm::RS256, Some("k"), &changed(&upstream, "aud", json!("mine")));
    world.exchange(&mine, target(&own_audience)).await.expect("a token");
}

#[tokio::test]
async fn a_changed_or_deleted_identity_revokes_its_tokens() {
    let (world, key) = (World::new(settings()).await, p256());
    let server = issuer(&key).await;
    let identity = world.identity(claim_match(&server.uri(), "s")).await;
    let token = sign(&key, &fitting(&server.uri()));
    let first = world.exchange(&token, target(&identity)).await.expect("a token");
    world.rewrite(&identity, claim_match(&server.uri(), "t")).await;
    let revoked = world.authenticate(first.token.expose(), NOW).await.expect_err("revoked");
    assert_eq!((revoked.kind(), revoked.rule()), (Kind::Unauthenticated, Rule::TokenRevoked));
    // The new rule counts at once, also for the remembered compiled form.
    assert!(world.exchange(&token, target(&identity)).await.expect_err("refused").message().ends_with("invalid \"sub\""));
    let next = world
        .exchange(&sign(&key, &changed(&fitting(&server.uri()), "sub", json!("t"))), target(&identity))
        .await
        .expect("a token");
    world.authenticate(next.token.expose(), NOW).await.expect("a caller");
    assert_eq!(
        world.exchange(first.token.expose(), ExchangeRequest::default()).await.expect_err("revoked").rule(),
        Rule::TokenRevoked
    );
    world.remove(&identity).await;
    assert_eq!(world.authenticate(next.token.expose(), NOW).await.expect_err("gone").rule(), Rule::TokenRevoked);
}

#[tokio::test]
async fn users_of_configured_providers_need_no_target() {
    let key = p256();
    let (server, own_audience, foreign) = (issuer(&key).await, issuer(&key).await, issuer(&key).await);
    let providers = vec![
        Provider { issuer: server.uri(), audiences: Vec::new() },
        Provider { issuer: own_audience.uri(), audiences: vec!["client-id".into()] },
    ];
    let world = World::new(Settings { providers, ..settings() }).await;
    let any = ExchangeRequest::default;
    let error = world.exchange(&sign(&key, &fitting(&server.uri())), any()).await.expect_err("not registered");
    let uid = user_uid(&server.uri(), "s");
    assert_eq!((error.kind(), error.rule()), (Kind::NotFound, Rule::NoSuchResource));
    assert!(error.message().contains(&uid.to_string()), "{error}");
    world.identity_at(uid.clone(), claim_match(&server.uri(), "s")).await;
    let issued = world.exchange(&sign(&key, &fitting(&server.uri())), any()).await.expect("a token");
    assert_eq!(claims(&issued)["sub"], uid.to_string());
    let error =
        world.exchange(&sign(&key, &changed(&fitting(&server.uri()), "aud", json!("x"))), any()).await.expect_err("refused");
    assert!(error.message().ends_with("invalid \"aud\""), "{error}");

    world.identity_at(user_uid(&own_audience.uri(), "s"), claim_match(&own_audience.uri(), "s")).await;
    world
        .exchange(&sign(&key, &changed(&fitting(&own_audience.uri()), "aud", json!("client-id"))), any())
        .await
        .expect("a token");
    assert!(world.exchange(&sign(&key, &fitting(&own_audience.uri())), any()).await.is_err());

    world.identity_at(user_uid(&foreign.uri(), "s"), claim_match(&foreign.uri(), "s")).await;
    let error = world.exchange(&sign(&key, &fitting(&foreign.uri())), any()).await.expect_err("not configured");
    assert_eq!((error.kind(), error.rule()), (Kind::PermissionDenied, Rule::IssuerNotAllowed));
    assert!(foreign.received_requests().await.expect("recorded").is_empty());
}

#[tokio::test]
async fn our_own_tokens_only_become_less() {
    let (world, key) = (World::new(settings()).await, p256());
    let server = issuer(&key).await;
    let identity = world.identity(claim_match(&server.uri(), "s")).await;
    let request = ExchangeRequest {
        audiences: vec![US.into(), "registry.example.com".into()],
        capabilities: vec!["groups.list".into(), "roles.list".into()],
        ..target(&identity)
    };
    let own = world.exchange(&sign(&key, &fitting(&server.uri())), request).await.expect("a token");
    assert_eq!(claims(&own)["aud"], json!([US, "registry.example.com"]));
    assert_eq!(claims(&own)["provost"]["caps"], json!(["groups.list", "roles.list"]));
    let wish = ExchangeRequest {
        audiences: vec!["registry.example.com".into()],
        scopes: vec![world.organization.to_string()],
        capabilities: vec!["roles.list".into()],
        ..ExchangeRequest::default()
    };
    let later = NOW.plus_seconds(600);
    let less = world.exchange_at(own.token.expose(), wish, later).await.expect("less");
    assert_eq!(less.expires_at, own.expires_at, "it does not outlive its input");
    let (new, old) = (claims(&less), claims(&own));
    assert_eq!((&new["sub"], &new["act"], &new["provost"]["rev"]), (&old["sub"], &old["act"], &old["provost"]["rev"]));
    assert_eq!((&new["aud"], &new["provost"]["caps"]), (&json!("registry.example.com"), &json!(["roles.list"])));
    assert_ne!(new["jti"], old["jti"]);
    // A token for the registry is none for the API, and does not become one.
    assert_eq!(world.authenticate(less.token.expose(), later).await.expect_err("refused").rule(), Rule::TokenInvalid);
    let more = [
        ExchangeRequest { audiences: vec![US.into()], ..ExchangeRequest::default() },
        ExchangeRequest { capabilities: vec!["groups.list".into()], ..ExchangeRequest::default() },
        ExchangeRequest { scopes: vec!["b".repeat(40)], ..ExchangeRequest::default() },
        target(&world.organization.child([8; 8])),
    ];
    for wish in more {
        let error = world.exchange_at(less.token.expose(), wish, later).await.expect_err("refused");
        assert_eq!((error.kind(), error.rule()), (Kind::PermissionDenied, Rule::Escalation), "{error}");
    }
    let expired =
        world.exchange_at(own.token.expose(), ExchangeRequest::default(), NOW.plus_seconds(3600)).await.expect_err("expired");
    assert_eq!(expired.rule(), Rule::TokenExpired);
}

/// A pattern that cannot be compiled tells who can make the server try.
#[tokio::test]
async fn patterns_are_compiled_for_nobody_whose_token_says_too_little() {
    let (world, key) = (World::new(settings()).await, p256());
    let server = issuer(&key).await;
    let rule = ClaimMatch { claim_patterns: [("ref".to_owned(), "(".to_owned())].into(), ..rule(&server.uri(), "s") };
    let identity = world.identity(Relationship::ClaimMatch(rule)).await;
    let good = fitting(&server.uri());
    for (token, rule, part) in [
        ("garbage".to_owned(), Rule::TokenInvalid, "three segments"),
        (sign(&key, &fitting("https://other.example")), Rule::ClaimMismatch, "\"iss\""),
        (sign(&p256(), &good), Rule::ClaimMismatch, "\"iss\""),
        (sign(&key, &changed(&good, "exp", json!(NOW.seconds()))), Rule::TokenExpired, "expired"),
        (sign(&key, &changed(&good, "sub", json!("t"))), Rule::ClaimMismatch, "\"sub\""),
        (sign(&key, &changed(&good, "aud", json!("else"))), Rule::ClaimMismatch, "\"aud\""),
        (sign(&key, &good), Rule::IssuerNotAllowed, "an administrator has to update it"),
    ] {
        let error = world.exchange(&token, target(&identity)).await.expect_err("refused");
        assert_eq!(error.rule(), rule, "{error}");
        assert!(error.message().contains(part), "{error}");
    }
}

#[tokio::test]
async fn what_cannot_be_exchanged_says_so() {
    let (world, key) = (World::new(settings()).await, p256());
    let principal = world.identity(Relationship::ServicePrincipal { principal: ServicePrincipal(1) }).await;
    let error = world.exchange(&sign(&key, &fitting("https://a.example")), target(&principal)).await.expect_err("refused");
    assert_eq!(error.rule(), Rule::ClaimMismatch);
    // A rule that was fine when dev mode was on.
    let strict = World::new(Settings::new(US)).await;
    let identity = strict.identity(claim_match("http://127.0.0.1:1", "s")).await;
    let error = strict.exchange(&sign(&key, &fitting("http://127.0.0.1:1")), target(&identity)).await.expect_err("refused");
    assert_eq!(error.rule(), Rule::IssuerNotAllowed);
}
