use client::Options;
use contract::{
    chainguard::platform::iam::v2beta1::{
        GenerateScimTokenRequest, GenerateScimTokenResponse, GetIdentityProviderRequest, IdentityProvider,
        ListIdentityProvidersRequest, ListIdentityProvidersResponse, RegenerateScimTokenRequest, RegenerateScimTokenResponse,
        RevokeScimTokenRequest, SetScimEnabledRequest, SetScimEnabledResponse,
        rpc::{
            CreateIdentityProvider, GenerateScimToken, GetIdentityProvider, ListIdentityProviders, RegenerateScimToken,
            RevokeScimToken, SetScimEnabled, UpdateIdentityProvider,
        },
    },
    prost_types::{Duration, Timestamp},
};
use domain::{Clock as _, Revision, iam::ScimDigest};
use store::{outbox, rows};
use testkit::{Actor, Scenario, scenario};

use super::{new_provider, oidc, provider, update};
use crate::v2beta1::{absent, roles::holder};

async fn make(s: &mut Scenario, admin: &Actor) -> String {
    let org = s.server.organization().to_string();
    let made: IdentityProvider =
        s.quietly::<CreateIdentityProvider>(admin, new_provider(&org, provider("login", oidc()))).await.ok();
    s.name(&made.uid, "login");
    made.uid
}

fn generate(uid: &str) -> GenerateScimTokenRequest {
    GenerateScimTokenRequest { identity_provider_uid: uid.into(), ..GenerateScimTokenRequest::default() }
}

fn regenerate(uid: &str, etag: &str) -> RegenerateScimTokenRequest {
    RegenerateScimTokenRequest { identity_provider_uid: uid.into(), etag: etag.into(), ..RegenerateScimTokenRequest::default() }
}

fn revoke(uid: &str) -> RevokeScimTokenRequest {
    RevokeScimTokenRequest { identity_provider_uid: uid.into() }
}

fn enable(uid: &str, enabled: bool, etag: &str) -> SetScimEnabledRequest {
    SetScimEnabledRequest { identity_provider_uid: uid.into(), enabled, etag: etag.into() }
}

fn read(uid: &str) -> GetIdentityProviderRequest {
    GetIdentityProviderRequest { uid: uid.into() }
}

async fn etag(s: &Scenario, admin: &Actor, uid: &str) -> String {
    let found: IdentityProvider = s.quietly::<GetIdentityProvider>(admin, read(uid)).await.ok();
    found.scim.expect("it had a token").etag
}

#[expect(clippy::unnecessary_wraps, reason = "fields may be absent")]
fn in_seconds(s: &Scenario, seconds: i64) -> Option<Timestamp> {
    let now = s.server.clock().now().plus_seconds(seconds);
    Some(Timestamp { seconds: now.seconds(), nanos: i32::try_from(now.0 % 1000 * 1_000_000).expect("less than a second") })
}

fn is_token(token: &str) -> bool {
    let digits = token.strip_prefix("cgscim_").unwrap_or_default();
    digits.len() == 64 && digits.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
}

/// What of it is stored.
async fn stored(s: &Scenario, uid: &str) -> domain::iam::Scim {
    let mut reader = s.server.store().reader().await.expect("a snapshot");
    let found = rows::get::<domain::iam::IdentityProvider>(&mut reader, &uid.parse().expect("a UIDP")).await.expect("reads");
    found.and_then(|provider| provider.scim).expect("it is there")
}

#[tokio::test]
async fn a_token_is_shown_once() {
    scenario(async |s| {
        let admin = s.server.admin();
        let uid = make(s, &admin).await;
        let before: IdentityProvider = s.quietly::<GetIdentityProvider>(&admin, read(&uid)).await.ok();
        assert_eq!(before.scim, None);
        let first: GenerateScimTokenResponse = s.quietly::<GenerateScimToken>(&admin, generate(&uid)).await.ok();
        assert!(is_token(&first.token), "{}", first.token);
        assert_eq!(first.endpoint_url, format!("{}/scim/v2/{uid}", s.server.base_url()));
        assert_eq!(first.expire_time, in_seconds(s, 365 * 86400));
        assert_eq!(stored(s, &uid).await.token, ScimDigest::of(&first.token));
        let second: RegenerateScimTokenResponse =
            s.quietly::<RegenerateScimToken>(&admin, regenerate(&uid, &first.etag)).await.ok();
        assert!(is_token(&second.token) && second.token != first.token);
        let kept = stored(s, &uid).await;
        assert_eq!(kept.token, ScimDigest::of(&second.token));
        assert_eq!(kept.previous.map(|previous| previous.token), Some(ScimDigest::of(&first.token)));

        let whole: IdentityProvider = s.quietly::<GetIdentityProvider>(&admin, read(&uid)).await.ok();
        assert_eq!(whole.scim.map(|scim| scim.etag), Some(second.etag));
        let listed: ListIdentityProvidersResponse =
            s.quietly::<ListIdentityProviders>(&admin, ListIdentityProvidersRequest::default()).await.ok();
        assert!(listed.identity_providers.iter().all(|provider| provider.scim.is_none()), "lists leave it out");
        let renamed = update(&uid, IdentityProvider { name: "sign-in".into(), ..IdentityProvider::default() }, &["name"]);
        let renamed: IdentityProvider = s.quietly::<UpdateIdentityProvider>(&admin, renamed).await.ok();
        assert!(renamed.scim.is_some(), "another change keeps it");

        let mut reader = s.server.store().reader().await.expect("reads");
        let events = outbox::pending(&mut reader, Revision(0), 1000).await.expect("events");
        let told: Vec<_> = events.iter().filter(|event| event.subject == uid).collect();
        let kinds: Vec<_> = told.iter().map(|event| event.kind.rsplit("providers.").next().unwrap_or_default()).collect();
        assert_eq!(kinds, ["created.v1", "scim_token.generated.v1", "scim_token.regenerated.v1", "updated.v1"]);
        let digests = [&first.token, &second.token].map(|token| format!("{:?}", serde_json::to_value(ScimDigest::of(token))));
        for event in told {
            assert_eq!(event.group, s.server.organization().as_str());
            let secrets = [first.token.as_str(), second.token.as_str()];
            let digests = digests.iter().filter_map(|digest| digest.split('"').nth(1));
            for secret in secrets.into_iter().chain(digests) {
                assert!(secret.len() > 60 && !event.snapshot.contains(secret), "{}", event.snapshot);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn is_generated_once_and_never_repeated() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let uid = make(s, &admin).await;
        let wrong = [
            ("past", GenerateScimTokenRequest { expire_time: in_seconds(s, -1), ..generate(&uid) }),
            ("too late", GenerateScimTokenRequest { expire_time: in_seconds(s, 731 * 86400), ..generate(&uid) }),
            ("given twice", GenerateScimTokenRequest { expire_time: in_seconds(s, 60), never_expires: true, ..generate(&uid) }),
            ("not there", generate(&absent(s.server.organization().as_str()))),
        ];
        for (title, request) in wrong {
            s.call::<GenerateScimToken>(title, &admin, request).await;
        }
        s.call::<RegenerateScimToken>("regenerated before", &admin, regenerate(&uid, "1")).await;
        s.call::<RevokeScimToken>("revoked before", &admin, revoke(&uid)).await;
        s.call::<SetScimEnabled>("enabled before", &admin, enable(&uid, true, "1")).await;
        let rehearsal = Options { validate_only: true, ..Options::default() };
        let tried = admin.call_with::<GenerateScimToken>(s.transport, generate(&uid), &rehearsal).await;
        assert_eq!(tried.ok::<GenerateScimTokenResponse>().token, "", "a rehearsal makes none");

        let keyed = Options { idempotency_key: Some("once".into()), ..Options::default() };
        let never = || GenerateScimTokenRequest { never_expires: true, ..generate(&uid) };
        let first = admin.call_with::<GenerateScimToken>(s.transport, never(), &keyed).await;
        assert_eq!(first.ok::<GenerateScimTokenResponse>().expire_time, None);
        let again = admin.call_with::<GenerateScimToken>(s.transport, never(), &keyed).await;
        assert_eq!(again.code, "ABORTED", "the answer is nowhere: {:#}", again.body);
        s.call::<GenerateScimToken>("a second one", &admin, generate(&uid)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn the_old_one_works_for_a_while() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let uid = make(s, &admin).await;
        let state = async |s: &Scenario| {
            let found: IdentityProvider = s.quietly::<GetIdentityProvider>(&s.server.admin_again().await, read(&uid)).await.ok();
            let scim = found.scim.expect("it had a token");
            (scim.credential_state().as_str_name().trim_start_matches("CREDENTIAL_STATE_"), scim.previous_token_expire_time)
        };
        let first: GenerateScimTokenResponse = s.quietly::<GenerateScimToken>(&admin, generate(&uid)).await.ok();
        assert_eq!(state(s).await, ("LIVE", None));
        let wrong = |overlap| RegenerateScimTokenRequest { overlap: Some(overlap), ..regenerate(&uid, &first.etag) };
        let day = Duration { seconds: 86400, nanos: 1_000_000 };
        s.call::<RegenerateScimToken>("too long an overlap", &admin, wrong(day)).await;
        s.call::<RegenerateScimToken>("a negative one", &admin, wrong(Duration { seconds: -1, nanos: 0 })).await;
        s.call::<RegenerateScimToken>("of another version", &admin, regenerate(&uid, "0")).await;
        s.call::<RegenerateScimToken>("of no version", &admin, regenerate(&uid, "")).await;

        let next = |etag: &str, overlap: Option<i64>, lives: Option<Timestamp>| RegenerateScimTokenRequest {
            overlap: overlap.map(|seconds| Duration { seconds, nanos: 0 }),
            expire_time: lives,
            ..regenerate(&uid, etag)
        };
        let made: RegenerateScimTokenResponse =
            s.quietly::<RegenerateScimToken>(&admin, next(&first.etag, None, in_seconds(s, 7200))).await.ok();
        assert_eq!(made.requested_overlap, Some(Duration { seconds: 3600, nanos: 0 }));
        assert_eq!(made.previous_token_expire_time, in_seconds(s, 3600));
        assert_eq!(state(s).await, ("ROTATING", in_seconds(s, 3600)));
        s.server.clock().advance_seconds(3600);
        assert_eq!(state(s).await, ("LIVE", None));
        s.server.clock().advance_seconds(3600);
        assert_eq!(state(s).await, ("EXPIRED", None));

        let admin = s.server.admin_again().await;
        let made: RegenerateScimTokenResponse =
            s.quietly::<RegenerateScimToken>(&admin, next(&made.etag, Some(60), None)).await.ok();
        assert_eq!(made.previous_token_expire_time, None, "what was dead stays dead");
        let made: RegenerateScimTokenResponse =
            s.quietly::<RegenerateScimToken>(&admin, next(&made.etag, Some(0), None)).await.ok();
        assert_eq!((made.previous_token_expire_time, state(s).await), (None, ("LIVE", None)), "cut over");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn is_revoked_whatever_its_version() {
    scenario(async |s| {
        let admin = s.server.admin();
        let uid = make(s, &admin).await;
        let first: GenerateScimTokenResponse = s.quietly::<GenerateScimToken>(&admin, generate(&uid)).await.ok();
        s.quietly::<RegenerateScimToken>(&admin, regenerate(&uid, &first.etag)).await.ok::<RegenerateScimTokenResponse>();
        let revoked = s.quietly::<RevokeScimToken>(&admin, revoke(&uid)).await;
        assert_eq!(revoked.code, "OK", "{:#}", revoked.body);
        assert_eq!((&revoked.body["enabled"], revoked.body["revokeTime"].is_string()), (&false.into(), true));
        let kept = stored(s, &uid).await;
        assert!(kept.previous.is_none() && kept.revoked_at.is_some(), "the one before it as well");
        s.server.clock().advance_seconds(5);
        let again = s.quietly::<RevokeScimToken>(&admin, revoke(&uid)).await;
        assert_eq!(again.body, revoked.body, "nothing changes");
        let found: IdentityProvider = s.quietly::<GetIdentityProvider>(&admin, read(&uid)).await.ok();
        assert_eq!(found.scim.expect("it had one").credential_state().as_str_name(), "CREDENTIAL_STATE_REVOKED");
        let etag = etag(s, &admin, &uid).await;
        let next: RegenerateScimTokenResponse = s.quietly::<RegenerateScimToken>(&admin, regenerate(&uid, &etag)).await.ok();
        assert_eq!(next.previous_token_expire_time, None);
        let found: IdentityProvider = s.quietly::<GetIdentityProvider>(&admin, read(&uid)).await.ok();
        assert_eq!(found.scim.expect("it has one").credential_state().as_str_name(), "CREDENTIAL_STATE_LIVE");
    })
    .await;
}

#[tokio::test]
async fn needs_two_owners_to_be_enabled() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let uid = make(s, &admin).await;
        let first: GenerateScimTokenResponse = s.quietly::<GenerateScimToken>(&admin, generate(&uid)).await.ok();
        s.name(org.as_str(), "organization");
        s.call::<SetScimEnabled>("with one owner", &admin, enable(&uid, true, &first.etag)).await;
        s.server.workload(&org, "second", Some("owner")).await;
        s.call::<SetScimEnabled>("of another version", &admin, enable(&uid, true, "0")).await;
        let on: SetScimEnabledResponse = s.quietly::<SetScimEnabled>(&admin, enable(&uid, true, &first.etag)).await.ok();
        assert!(on.enabled && on.etag != first.etag);
        let same: SetScimEnabledResponse = s.quietly::<SetScimEnabled>(&admin, enable(&uid, true, &on.etag)).await.ok();
        assert_eq!(same, on, "the same again changes nothing");
        s.call::<SetScimEnabled>("of a version that was", &admin, enable(&uid, false, &first.etag)).await;
        assert_eq!(s.quietly::<RevokeScimToken>(&admin, revoke(&uid)).await.body["enabled"], true, "revoking leaves it enabled");
        let etag = etag(s, &admin, &uid).await;
        let off: SetScimEnabledResponse = s.quietly::<SetScimEnabled>(&admin, enable(&uid, false, &etag)).await.ok();
        assert!(!off.enabled);
        let on = s.quietly::<SetScimEnabled>(&admin, enable(&uid, true, &off.etag)).await;
        assert_eq!(on.code, "OK", "without a token that works: {:#}", on.body);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn is_for_who_manages_it() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let uid = make(s, &admin).await;
        let manager = holder(s, &org, "manager", &["identity_providers.scim.manage", "identity_providers.list"]).await;
        let blind = holder(s, &org, "blind", &["identity_providers.scim.manage"]).await;
        let editor = s.server.workload(&org, "editor", Some("editor")).await;
        for actor in [&blind, &editor, &s.server.stranger().await] {
            for told in [
                s.quietly::<GenerateScimToken>(actor, generate(&uid)).await,
                s.quietly::<RegenerateScimToken>(actor, regenerate(&uid, "1")).await,
                s.quietly::<RevokeScimToken>(actor, revoke(&uid)).await,
                s.quietly::<SetScimEnabled>(actor, enable(&uid, true, "1")).await,
            ] {
                assert_eq!(told.code, "PERMISSION_DENIED", "{:#}", told.body);
            }
        }
        assert_eq!(s.quietly::<GenerateScimToken>(&manager, generate(&uid)).await.code, "OK");
        assert_eq!(s.quietly::<RevokeScimToken>(&manager, revoke(&uid)).await.code, "OK");
    })
    .await;
}
