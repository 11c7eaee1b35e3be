//! When a session ends.

use contract::chainguard::platform::{
    auth::{
        DeletionRequest, RegistrationRequest,
        rpc::{Delete, Register},
    },
    iam::v2beta1::{
        CreateIdentityProviderRequest, DeleteIdentityProviderRequest, GetIdentityRequest, Identity, IdentityProvider,
        UpdateIdentityProviderRequest, UpdateIdentityRequest,
        identity::{Relationship, claim_match::Sub},
        identity_provider::{Configuration, Oidc},
        rpc::{CreateIdentityProvider, DeleteIdentityProvider, GetIdentity, UpdateIdentity, UpdateIdentityProvider},
    },
    oidc::{
        ExchangeRefreshTokenRequest, ExchangeRequest, RawToken,
        rpc::{Exchange, ExchangeRefreshToken},
    },
};
use domain::{Clock as _, iam::identity::user_uid};
use serde_json::json;
use store::audit;
use testkit::{Actor, Fault, Issuer, Scenario, scenario};

use super::{login, login_as, person, renew, renewed, rule};
use crate::v2beta1::built_in;

const DAY: i64 = 24 * 3600;

#[tokio::test]
async fn a_token_that_was_used_is_forgiven_for_a_minute_and_then_ends_the_session() {
    let transcript = scenario(async |s| {
        let first = login(s).await;
        let (_, next) = renewed(s, &first.refresh_token).await;
        s.server.clock().advance_seconds(59);
        let (_, again) = renewed(s, &first.refresh_token).await;
        assert_eq!(again, next, "whoever has not seen the answer gets it again");
        s.server.clock().advance_seconds(1);
        let reused = renew(s, &first.refresh_token).await;
        s.transcript.step("used again after a minute", &reused);
        let ended = renew(s, &next).await;
        s.transcript.step("the last one", &ended);

        let first = login(s).await;
        let (_, next) = renewed(s, &first.refresh_token).await;
        let other = login(s).await;
        renewed(s, &next).await;
        assert_eq!(rule(&renew(s, &first.refresh_token).await), ("UNAUTHENTICATED", "REFRESH_TOKEN_REUSED"), "the last but one");
        renewed(s, &other.refresh_token).await;
        let entries = audit::newest(&mut s.server.store().reader().await.expect("reads"), 100).await.expect("reads");
        let told: Vec<_> = entries.iter().filter(|entry| entry.outcome == "REFRESH_TOKEN_REUSED").collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told.iter().all(|entry| entry.actor == s.server.admin_uid().as_str()), "{told:?}");
        assert!(told.iter().all(|entry| entry.method.ends_with("/ExchangeRefreshToken")), "{told:?}");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn what_is_no_refresh_token_is_refused() {
    let transcript = scenario(async |s| {
        let first = login(s).await;
        let altered = format!("{}A{}", &first.refresh_token[..100], &first.refresh_token[101..]);
        let access = s.server.admin().token.expect("a token").expose().to_owned();
        for (title, token) in [("nonsense", "nonsense"), ("altered", &*altered), ("an access token", &*access)] {
            let refused = renew(s, token).await;
            s.transcript.step(title, &refused);
        }
        let request = ExchangeRefreshTokenRequest::default();
        s.call::<ExchangeRefreshToken>("nothing", &s.server.nobody(), request).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn time_ends_it() {
    let transcript = scenario(async |s| {
        let unused = login(s).await;
        s.server.clock().advance_seconds(7 * DAY);
        let late = renew(s, &unused.refresh_token).await;
        s.transcript.step("unused for a week", &late);

        let mut last = login(s).await.refresh_token;
        for _ in 0..4 {
            s.server.clock().advance_seconds(7 * DAY - 1);
            last = renewed(s, &last).await.1;
        }
        s.server.clock().advance_seconds(2 * DAY + 4);
        assert_eq!(rule(&renew(s, &last).await), ("UNAUTHENTICATED", "TOKEN_EXPIRED"), "after thirty days");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

/// Somebody who has registered, and logs in.
async fn register(s: &Scenario, subject: &str) -> RawToken {
    let somebody = person(s, subject).await;
    assert_eq!(s.quietly::<Register>(&somebody, RegistrationRequest::default()).await.code, "OK");
    login_as(s, subject, ExchangeRequest::default()).await
}

#[tokio::test]
async fn the_user_ends_it() {
    let transcript = scenario(async |s| {
        let left = register(s, "bea").await;
        let id = user_uid(&s.server.issuer(), "bea").to_string();
        assert_eq!(s.quietly::<Delete>(&s.server.bearer(&left.token), DeletionRequest { id }).await.code, "OK");
        let gone = renew(s, &left.refresh_token).await;
        s.transcript.step("its user is gone", &gone);
        register(s, "bea").await;
        assert_eq!(rule(&renew(s, &left.refresh_token).await), ("UNAUTHENTICATED", "TOKEN_REVOKED"), "who comes back logs in");

        let changed = register(s, "cid").await;
        let uid = user_uid(&s.server.issuer(), "cid").to_string();
        let operator = s.server.operator().await;
        let mut identity: Identity = s.quietly::<GetIdentity>(&operator, GetIdentityRequest { uid }).await.ok();
        let Some(Relationship::ClaimMatch(rule)) = &mut identity.relationship else { panic!("a claim match") };
        rule.sub = Some(Sub::Subject("somebody-else".into()));
        let update = UpdateIdentityRequest { identity: Some(identity), update_mask: None };
        assert_eq!(s.quietly::<UpdateIdentity>(&operator, update).await.code, "OK");
        let refused = renew(s, &changed.refresh_token).await;
        s.transcript.step("its user proves itself otherwise", &refused);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

/// An identity provider of the organization for this client, and somebody who has registered and logged in with its token.
async fn employee(s: &Scenario, issuer: &Issuer, client: &str, subject: &str) -> (IdentityProvider, RawToken) {
    let oidc = Oidc { issuer: issuer.url.clone(), client_id: client.into(), pkce_enabled: true, ..Oidc::default() };
    let provider = IdentityProvider {
        name: client.into(),
        default_role: built_in("viewer"),
        configuration: Some(Configuration::Oidc(oidc)),
        ..IdentityProvider::default()
    };
    let parent = s.server.organization().to_string();
    let request = CreateIdentityProviderRequest { parent, identity_provider: Some(provider) };
    let provider = s.server.admin().must::<CreateIdentityProvider>(request).await;
    let now = s.server.clock().now().seconds();
    let claims = json!({"iss": issuer.url, "sub": subject, "aud": client, "iat": now, "exp": now + 600});
    let somebody: Actor = s.server.bearer(&issuer.sign(&claims));
    assert_eq!(s.quietly::<Register>(&somebody, RegistrationRequest::default()).await.code, "OK");
    (provider, s.quietly::<Exchange>(&somebody, ExchangeRequest::default()).await.ok())
}

#[tokio::test]
async fn the_login_provider_ends_it() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let issuer = Issuer::start(Fault::None).await;
        let (gone, of_gone) = employee(s, &issuer, "gone", "dan").await;
        let (changed, of_changed) = employee(s, &issuer, "changed", "eva").await;
        let (_, next) = renewed(s, &of_gone.refresh_token).await;
        let (_, of_changed) = renewed(s, &of_changed.refresh_token).await;
        let deletion = DeleteIdentityProviderRequest { uid: gone.uid };
        assert_eq!(s.quietly::<DeleteIdentityProvider>(&admin, deletion).await.code, "OK");
        let refused = renew(s, &next).await;
        s.transcript.step("its provider is gone", &refused);
        employee(s, &issuer, "gone", "fay").await;
        assert_eq!(rule(&renew(s, &next).await), ("UNAUTHENTICATED", "TOKEN_REVOKED"), "another one has not vouched for it");

        let described = IdentityProvider { description: "of ours".into(), ..changed.clone() };
        let update = UpdateIdentityProviderRequest { identity_provider: Some(described), update_mask: None };
        assert_eq!(s.quietly::<UpdateIdentityProvider>(&admin, update).await.code, "OK");
        let (_, of_changed) = renewed(s, &of_changed).await;
        let mut other = changed;
        let Some(Configuration::Oidc(oidc)) = &mut other.configuration else { panic!("it is for OIDC") };
        oidc.client_id = "another".into();
        let update = UpdateIdentityProviderRequest { identity_provider: Some(other), update_mask: None };
        assert_eq!(s.quietly::<UpdateIdentityProvider>(&admin, update).await.code, "OK");
        let refused = renew(s, &of_changed).await;
        s.transcript.step("its provider is for another client", &refused);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn the_settings_end_it() {
    scenario(async |s| {
        // Twenty sessions are a user's; the test server has begun one.
        let first = login(s).await;
        let second = login(s).await;
        s.server.clock().advance_seconds(1);
        let (_, second) = renewed(s, &second.refresh_token).await;
        for _ in 0..18 {
            login(s).await;
        }
        renewed(s, &second).await;
        login(s).await;
        assert_eq!(rule(&renew(s, &first.refresh_token).await), ("UNAUTHENTICATED", "TOKEN_REVOKED"), "used longest ago");
    })
    .await;
}
