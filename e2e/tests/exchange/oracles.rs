//! What a stranger learns by asking: pairs of requests that must not be told apart, by their answers or by the work that they cause.
//!
//! Answers are compared byte for byte, but for identifiers that the sender has sent. The work is what the server counts of itself:
//! statements and checked signatures. What is told apart all the same, and why, stands in ADR 23.

use std::time::Instant;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use contract::{
    Rpc,
    chainguard::platform::{
        auth::{RegistrationRequest, rpc::Register},
        iam::v2beta1::{
            CreateIdentityRequest, GetGroupRequest, Group, Identity,
            identity::{Relationship, StaticKeys},
            identity_provider::Oidc,
            rpc::{CreateGroup, CreateIdentity, CreateIdentityProvider, CreateRoleBinding, GetGroup},
        },
        oidc::{ExchangeRequest, rpc::Exchange},
        registry::v2beta1::{
            CreateRepoRequest, GetRepoRequest, Repo, SyncConfig,
            rpc::{CreateRepo, GetRepo},
        },
    },
};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use testkit::{Actor, Fault, Issuer, Outcome, TestServer, Transport};

use crate::v2beta1::{
    absent, built_in,
    groups::new_group,
    identities::{claims, new_identity},
    identity_providers::{new_provider, oidc, provider},
    repos::new_repo,
    role_bindings::new_binding,
};

const NOW: i64 = 1_767_323_045;

/// What the server counts of its work.
const WORK: [&str; 2] = ["provost_store_read_statements_total", "provost_exchange_signature_checks_total"];

/// A request that can be sent again and again.
struct Ask(Box<dyn Fn(Transport) -> BoxFuture<'static, Outcome>>);

/// A call of a method.
fn calling<R: Rpc<Request: Clone + Send + Sync> + 'static>(actor: Actor, request: R::Request) -> Ask {
    Ask(Box::new(move |transport| {
        let (actor, request) = (actor.clone(), request.clone());
        Box::pin(async move { actor.call::<R>(transport, request).await })
    }))
}

/// An exchange of this token for an identity, or for whoever it is of.
fn exchange(server: &TestServer, token: &str, identity: &str) -> Ask {
    let request = ExchangeRequest { identity: identity.to_owned(), ..ExchangeRequest::default() };
    calling::<Exchange>(server.bearer(token), request)
}

/// The least that each kind of work grows by in several tries: the server does something by itself now and then.
async fn work(server: &TestServer, ask: &Ask, transport: Transport) -> [f64; 2] {
    let mut least = [f64::MAX; 2];
    for _ in 0..5 {
        let before = server.metrics().await;
        (ask.0)(transport).await;
        let after = server.metrics().await;
        for (least, name) in least.iter_mut().zip(WORK) {
            *least = least.min(after.sum(name, &[]) - before.sum(name, &[]));
        }
    }
    least
}

/// Asks both, of which each sends other identifiers, and compares everything that can be told about it.
async fn same(server: &TestServer, title: &str, asks: [(Ask, &[&str]); 2]) {
    for transport in [Transport::Grpc, Transport::Json] {
        let mut told = Vec::new();
        for (ask, sent) in &asks {
            let outcome = (ask.0)(transport).await;
            assert_ne!(outcome.code, "OK", "{title}: {:#}", outcome.body);
            let body = sent.iter().fold(outcome.body.to_string(), |body, sent| body.replace(sent, "<sent>"));
            told.push((outcome.code, body, work(server, ask, transport).await));
        }
        assert_eq!(told[0], told[1], "{title}");
        same_times(title, [&asks[0].0, &asks[1].0], transport).await;
    }
}

/// Where `PROVOST_TEST_ROUNDS` says how often: asks both in turns, and compares the medians of how long they take.
#[expect(clippy::disallowed_methods, reason = "PROVOST_TEST_ROUNDS comes from the environment")]
async fn same_times(title: &str, asks: [&Ask; 2], transport: Transport) {
    let Ok(rounds) = std::env::var("PROVOST_TEST_ROUNDS") else { return };
    let rounds: usize = rounds.parse().expect("PROVOST_TEST_ROUNDS is a number");
    let mut times = [Vec::with_capacity(rounds), Vec::with_capacity(rounds)];
    for _ in 0..rounds {
        for (ask, times) in asks.iter().zip(&mut times) {
            let since = Instant::now();
            (ask.0)(transport).await;
            times.push(since.elapsed());
        }
    }
    let [one, other] = times.map(|mut times| {
        times.sort();
        times[rounds / 2].as_secs_f64()
    });
    // The machine alone makes that much of a difference.
    assert!((one - other).abs() < 0.05 * one.max(other), "{title}: {one} s and {other} s");
}

/// A token with these claims that nobody has signed.
fn unsigned(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}.{}", part(header), part(claims), URL_SAFE_NO_PAD.encode([7; 64]))
}

fn upstream(server: &TestServer, issuer: &str) -> Value {
    json!({"iss": issuer, "sub": "robot", "aud": server.base_url(), "iat": NOW, "exp": NOW + 600})
}

async fn register(server: &TestServer, identity: CreateIdentityRequest) -> String {
    server.admin().must::<CreateIdentity>(identity).await.uid
}

#[tokio::test]
async fn who_has_proved_nothing_learns_nothing_of_identities() {
    let server = TestServer::start().await;
    let (org, issuer, other) =
        (server.organization().to_string(), Issuer::start(Fault::None).await, Issuer::start(Fault::None).await);
    let there = register(&server, new_identity(&org, "robot", Some(claims(&issuer.url, "robot")))).await;
    let none = absent(&org);
    // The keys of the issuer are remembered from then on.
    let good = issuer.sign(&upstream(&server, &issuer.url));
    assert!(server.exchange(&good, Some(&there.parse().unwrap())).await.is_ok());
    let signed_by_another = other.sign(&upstream(&server, &issuer.url));
    let of_another = other.sign(&upstream(&server, &other.url));
    for (title, token) in [
        ("another's signature", signed_by_another),
        ("no signature", unsigned(&json!({"alg": "ES256", "kid": "k1"}), &upstream(&server, &issuer.url))),
        ("no key is named", unsigned(&json!({"alg": "ES256"}), &upstream(&server, &issuer.url))),
        (
            "an algorithm that the key is not for",
            unsigned(&json!({"alg": "RS256", "kid": "k1"}), &upstream(&server, &issuer.url)),
        ),
        ("an issuer that it does not name", of_another),
        ("garbage", "garbage".to_owned()),
    ] {
        let [to_it, to_nobody] = [&there, &none].map(|uid| exchange(&server, &token, uid));
        same(&server, title, [(to_it, &[&there]), (to_nobody, &[&none])]).await;
    }
    server.stop().await;
}

#[tokio::test]
async fn pasted_keys_are_told_of_to_their_owner_alone() {
    const ISSUER: &str = "https://issuer.internal.example.com";
    let server = TestServer::start().await;
    let (org, signer) = (server.organization().to_string(), Issuer::start(Fault::None).await);
    let pasted = async |issuer_keys: String| {
        let keys = StaticKeys { issuer: ISSUER.into(), subject: "robot".into(), issuer_keys, ..StaticKeys::default() };
        let identity =
            Identity { name: "robot".into(), relationship: Some(Relationship::StaticKeys(keys)), ..Identity::default() };
        register(&server, CreateIdentityRequest { parent: org.clone(), identity: Some(identity) }).await
    };
    let (good, unusable) = (pasted(signer.keys().to_string()).await, pasted("no keys".to_owned()).await);
    let (none, token) = (absent(&org), unsigned(&json!({"alg": "ES256", "kid": "k1"}), &upstream(&server, ISSUER)));
    for (title, uid) in [("good keys", &good), ("keys that cannot be used", &unusable)] {
        let (to_it, to_nobody) = (exchange(&server, &token, uid), exchange(&server, &token, &none));
        same(&server, title, [(to_it, &[uid]), (to_nobody, &[&none])]).await;
    }
    server.clock().advance_seconds(400 * 24 * 3600);
    let (to_it, to_nobody) = (exchange(&server, &token, &good), exchange(&server, &token, &none));
    same(&server, "keys that have expired", [(to_it, &[&good]), (to_nobody, &[&none])]).await;
    let late = json!({"iss": ISSUER, "sub": "robot", "aud": server.base_url(), "exp": NOW + 500 * 24 * 3600});
    let refused = server.exchange(&signer.sign(&late), Some(&good.parse().unwrap())).await.unwrap_err();
    assert!(refused.to_string().contains("have expired"), "who has the key is told: {refused}");
    server.stop().await;
}

#[tokio::test]
async fn who_has_proved_nothing_learns_nothing_of_identity_providers() {
    let server = TestServer::start().await;
    let (named, other) = (Issuer::start(Fault::None).await, Issuer::start(Fault::None).await);
    let wish = new_provider(server.organization().as_str(), provider("okta", Oidc { issuer: named.url.clone(), ..oidc() }));
    server.admin().must::<CreateIdentityProvider>(wish).await;
    let forged = |issuer: &Issuer| unsigned(&json!({"alg": "ES256", "kid": "k1"}), &upstream(&server, &issuer.url));
    // The keys of the provider are remembered from then on.
    server.exchange(&named.sign(&upstream(&server, &named.url)), None).await.unwrap_err();
    let (of_it, of_nobody) = (exchange(&server, &forged(&named), ""), exchange(&server, &forged(&other), ""));
    same(&server, "an exchange", [(of_it, &[&named.url]), (of_nobody, &[&other.url])]).await;
    let registers = |issuer: &Issuer| calling::<Register>(server.bearer(&forged(issuer)), RegistrationRequest::default());
    let (of_it, of_nobody) = (registers(&named), registers(&other));
    same(&server, "a registration", [(of_it, &[&named.url]), (of_nobody, &[&other.url])]).await;
    server.stop().await;
}

#[tokio::test]
async fn names_that_lead_inside_are_like_names_that_lead_nowhere() {
    let server = TestServer::start().await;
    let org = server.organization().to_string();
    let mut asks = Vec::new();
    for url in ["https://10.0.0.1", "https://nowhere.invalid"] {
        let uid = register(&server, new_identity(&org, "robot", Some(claims(url, "robot")))).await;
        asks.push((url, uid, unsigned(&json!({"alg": "ES256", "kid": "k1"}), &upstream(&server, url))));
    }
    let [inside, nowhere] = [&asks[0], &asks[1]];
    let (to_inside, to_nowhere) = (exchange(&server, &inside.2, &inside.1), exchange(&server, &nowhere.2, &nowhere.1));
    same(&server, "an issuer", [(to_inside, &[inside.0, &inside.1]), (to_nowhere, &[nowhere.0, &nowhere.1])]).await;
    server.stop().await;
}

#[tokio::test]
async fn callers_learn_nothing_of_other_organizations() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let theirs: Group = admin.must::<CreateGroup>(new_group("", "theirs")).await;
    let repo: Repo = admin.must::<CreateRepo>(new_repo(&theirs.uid, "app")).await;
    let robot = register(&server, new_identity(&theirs.uid, "robot", Some(claims("https://issuer.example.com", "robot")))).await;
    let none = absent(&theirs.uid);
    let ours = admin.must::<CreateGroup>(new_group("", "ours")).await.uid;
    let caller = server.workload(&ours.parse().unwrap(), "caller", Some("owner")).await;

    let read = |uid: &str| calling::<GetGroup>(caller.clone(), GetGroupRequest { uid: uid.to_owned() });
    let nowhere = "0123456789".repeat(4);
    let (it, nothing) = (read(&theirs.uid), read(&nowhere));
    same(&server, "reading a group", [(it, &[&theirs.uid]), (nothing, &[&nowhere])]).await;

    let read = |uid: &str| calling::<GetRepo>(caller.clone(), GetRepoRequest { uid: uid.to_owned() });
    let (it, nothing) = (read(&repo.uid), read(&none));
    same(&server, "reading a repo", [(it, &[&repo.uid]), (nothing, &[&none])]).await;

    let follow = |source: &str| {
        let sync_config = Some(SyncConfig { source: source.to_owned(), ..SyncConfig::default() });
        let repo = Some(Repo { name: "copy".into(), sync_config, ..Repo::default() });
        calling::<CreateRepo>(caller.clone(), CreateRepoRequest { parent: ours.clone(), repo })
    };
    let (it, nothing) = (follow(&repo.uid), follow(&none));
    same(&server, "following a repo", [(it, &[&repo.uid]), (nothing, &[&none])]).await;

    let bind = |identity: &str| {
        let request = new_binding(&ours, identity, &built_in("viewer"));
        calling::<CreateRoleBinding>(caller.clone(), request)
    };
    let (it, nothing) = (bind(&robot), bind(&none));
    same(&server, "binding an identity", [(it, &[&robot]), (nothing, &[&none])]).await;
    server.stop().await;
}
