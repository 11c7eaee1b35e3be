//! What becomes of client secrets.

use client::{Options, http::Request};
use contract::chainguard::platform::iam::v2beta1::{
    GetIdentityProviderRequest, IdentityProvider, ListIdentityProvidersRequest,
    identity_provider::{Configuration, Oidc},
    rpc::{CreateIdentityProvider, GetIdentityProvider, ListIdentityProviders, UpdateIdentityProvider},
};
use domain::{Revision, Secret};
use serde_json::json;
use store::{audit, outbox, rows};
use testkit::{Outcome, TestServer, scenario};

use super::{new_provider, oidc, only, provider, sealed, update};

const SECRETS: [&str; 2] = ["of-this-year", "of-next-year"];

#[tokio::test]
async fn an_empty_one_stays_unless_the_mask_names_it() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made: IdentityProvider =
            s.quietly::<CreateIdentityProvider>(&admin, new_provider(&org, provider("login", oidc()))).await.ok();
        s.name(&made.uid, "login");
        let without = || Oidc { client_secret: String::new(), ..oidc() };
        let first = sealed(s, &made.uid).await;
        assert!(first.is_some());
        for (wish, paths) in [
            (provider("a", without()), &["*"][..]),
            (provider("b", without()), &["name", "oidc"]),
            (only(Oidc { groups_claim: "groups".into(), ..Oidc::default() }), &[]),
            (provider("c", oidc()), &["name", "oidc.client_id"]),
            (provider("d", oidc()), &["*"]),
        ] {
            let kept = s.quietly::<UpdateIdentityProvider>(&admin, update(&made.uid, wish, paths)).await;
            assert_eq!(kept.code, "OK", "{paths:?}: {:#}", kept.body);
            assert_eq!(sealed(s, &made.uid).await, first, "{paths:?}");
        }
        let again = s.quietly::<GetIdentityProvider>(&admin, GetIdentityProviderRequest { uid: made.uid.clone() }).await;
        let same = s.quietly::<UpdateIdentityProvider>(&admin, update(&made.uid, provider("d", oidc()), &["*"])).await;
        assert_eq!(same, again, "the same secret again changes nothing");

        let named = &["oidc.client_secret"];
        s.call::<UpdateIdentityProvider>("named and empty, without PKCE", &admin, update(&made.uid, only(without()), named))
            .await;
        let next = only(Oidc { client_secret: "of-next-year".into(), ..Oidc::default() });
        s.call::<UpdateIdentityProvider>("another one", &admin, update(&made.uid, next, &[])).await;
        let second = sealed(s, &made.uid).await;
        assert!(second.is_some() && second != first);
        let pkce = only(Oidc { pkce_enabled: true, ..Oidc::default() });
        s.call::<UpdateIdentityProvider>("PKCE beside it", &admin, update(&made.uid, pkce, &[])).await;
        assert_eq!(sealed(s, &made.uid).await, second);
        s.call::<UpdateIdentityProvider>("named and empty, with PKCE", &admin, update(&made.uid, only(without()), named)).await;
        assert_eq!(sealed(s, &made.uid).await, None);
        let neither = only(Oidc::default());
        s.call::<UpdateIdentityProvider>("no PKCE then", &admin, update(&made.uid, neither, &["oidc.pkce_enabled"])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_key_of_a_body_names_it() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let wish = provider("login", Oidc { pkce_enabled: true, ..oidc() });
    let made = admin.must::<CreateIdentityProvider>(new_provider(server.organization().as_str(), wish)).await;
    let stored = async || {
        let mut reader = server.store().reader().await.expect("a snapshot");
        let uid = made.uid.parse().expect("a UIDP");
        let stored = rows::get::<domain::iam::IdentityProvider>(&mut reader, &uid).await.expect("reads");
        stored.and_then(|provider| provider.spec.oidc.client_secret)
    };
    let first = stored().await;
    for (body, expected) in [
        (json!({ "oidc": { "clientId": "provost-2" } }), &first),
        (json!({ "name": "sign-in" }), &first),
        (json!({ "oidc": { "clientSecret": "" } }), &None),
    ] {
        let answer = admin.http(Request::patch(format!("/iam/v2beta1/identityProviders/{}", made.uid), &body)).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(stored().await, *expected, "{body}");
    }
    server.stop().await;
}

#[tokio::test]
async fn nothing_ever_shows_one() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let mut answers: Vec<Outcome> = Vec::new();
        let keyed = |key: &str| Options { idempotency_key: Some(key.to_owned()), ..Options::default() };
        let create = new_provider(&org, provider("login", oidc()));
        for _ in 0..2 {
            answers.push(s.quietly_with::<CreateIdentityProvider>(&admin, create.clone(), &keyed("create")).await);
        }
        assert_eq!(answers[0], answers[1], "the same key gives the same answer");
        let uid = answers[0].ok::<IdentityProvider>().uid;
        let next = only(Oidc { client_secret: "of-next-year".into(), ..Oidc::default() });
        for _ in 0..2 {
            let change = update(&uid, next.clone(), &[]);
            answers.push(s.quietly_with::<UpdateIdentityProvider>(&admin, change, &keyed("update")).await);
        }
        let long = Oidc { client_secret: "of-next-year".repeat(100), ..oidc() };
        let refused = s.quietly::<CreateIdentityProvider>(&admin, new_provider(&org, provider("login", long))).await;
        assert_eq!(refused.code, "INVALID_ARGUMENT");
        answers.push(refused);
        answers.push(s.quietly::<GetIdentityProvider>(&admin, GetIdentityProviderRequest { uid: uid.clone() }).await);
        answers.push(s.quietly::<ListIdentityProviders>(&admin, ListIdentityProvidersRequest::default()).await);

        s.server.store().flush().await.expect("written");
        let mut reader = s.server.store().reader().await.expect("a snapshot");
        let events = outbox::pending(&mut reader, Revision(0), u32::MAX).await.expect("the events");
        let own: Vec<_> = events.iter().filter(|event| event.subject == uid).collect();
        assert_eq!(own.len(), 2, "made and changed");
        for event in &own {
            assert!(event.kind.starts_with("dev.chainguard.api.iam.identity_providers."), "{}", event.kind);
            assert_eq!(event.group, org);
            for absent in ["client_secret", "created_at", "updated_at"] {
                assert!(!event.snapshot.contains(absent), "{}", event.snapshot);
            }
            assert!(event.snapshot.contains("https://login.example.com"), "{}", event.snapshot);
        }
        let audit = audit::newest(&mut reader, 1000).await.expect("the audit log");
        let told = format!("{answers:?} {events:?} {audit:?}");
        let stored = sealed(s, &uid).await.expect("it has a secret");
        for secret in SECRETS.into_iter().chain([stored.as_str()]) {
            assert!(!told.contains(secret), "{secret} in {told}");
            assert!(stored.as_str() == secret || !stored.as_str().contains(secret));
        }
        let shown = answers[0].ok::<IdentityProvider>().configuration;
        assert!(matches!(shown, Some(Configuration::Oidc(Oidc { client_secret, .. })) if client_secret.is_empty()));
        assert_eq!(format!("{:?}", Secret::new(SECRETS[0].to_owned())), "[secret]");
    })
    .await;
}
