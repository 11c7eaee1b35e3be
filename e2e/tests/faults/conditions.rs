//! What holds for every mutation: `If-Match`, `Idempotency-Key` and `x-provost-validate-only` mean the same everywhere.

mod calls;
mod target;

use client::Options;
use contract::METHODS;
use serde_json::Value;
use testkit::{Actor, Outcome, scenario};

use self::{
    calls::{Case, cases},
    target::Target,
};

/// Served methods that change something and take no conditions, and why.
const EXEMPT: &[(&str, &str)] = &[(
    "/chainguard.platform.oidc.SecurityTokenService/Exchange",
    "its answer is a secret, and exchanging again changes nothing",
)];

fn rule(outcome: &Outcome) -> (&str, &str) {
    (&outcome.code, outcome.body["details"][0]["metadata"]["rule"].as_str().unwrap_or_default())
}

/// Plays a story of every mutation, each with a target of its own, over both transports.
async fn each(story: impl AsyncFn(&Case, &Target, &Actor, testkit::Transport)) {
    scenario(async |s| {
        let admin = s.server.admin();
        for case in cases() {
            let target = Target::make(&admin, s.server.organization().as_str()).await;
            story(&case, &target, &admin, s.transport).await;
        }
    })
    .await;
}

#[tokio::test]
async fn no_mutation_is_forgotten() {
    scenario(async |s| {
        let tested: Vec<_> = cases().iter().map(|case| case.path).collect();
        let served = s.server.implemented().await;
        let changes = METHODS.iter().filter(|method| !method.read_only && served.contains(&method.path));
        let exempt = |path: &str| EXEMPT.iter().any(|(exempt, _)| *exempt == path);
        let forgotten: Vec<_> =
            changes.map(|method| method.path).filter(|path| !exempt(path) && !tested.contains(path)).collect();
        assert_eq!(forgotten, Vec::<&str>::new(), "add a row to e2e/tests/faults/conditions/calls.rs for each");
    })
    .await;
}

#[tokio::test]
async fn what_is_only_validated_changes_nothing() {
    each(async |case, target, admin, transport| {
        let before = target.everything(admin).await;
        let rehearsal = Options { validate_only: true, ..Options::default() };
        let rehearsed = case.call(admin, transport, target, &rehearsal).await;
        assert_eq!(rehearsed.code, "OK", "{}: {:#}", case.path, rehearsed.body);
        assert_eq!(target.everything(admin).await, before, "{}", case.path);
        let played = case.call(admin, transport, target, &Options::default()).await;
        assert_eq!(played.code, "OK", "{}: {:#}", case.path, played.body);
        assert_ne!(target.everything(admin).await, before, "{}", case.path);
        let names = |outcome: &Outcome| outcome.body.get("name").cloned();
        assert_eq!(names(&rehearsed), names(&played), "{}: the rehearsal answers as the play", case.path);
    })
    .await;
}

#[tokio::test]
async fn a_key_applies_once() {
    each(async |case, target, admin, transport| {
        let keyed = Options { idempotency_key: Some(format!("key of {}", case.path).replace(' ', "-")), ..Options::default() };
        let first = case.call(admin, transport, target, &keyed).await;
        assert_eq!(first.code, "OK", "{}: {:#}", case.path, first.body);
        let after = target.everything(admin).await;
        let again = case.call(admin, transport, target, &keyed).await;
        assert_eq!(again, first, "{}: the whole answer, entity tag included", case.path);
        assert_eq!(target.everything(admin).await, after, "{}", case.path);

        let other = Target::make(admin, &target.organization).await;
        let before = other.everything(admin).await;
        let reused = case.call(admin, transport, &other, &keyed).await;
        assert_eq!(rule(&reused), ("INVALID_ARGUMENT", "IDEMPOTENCY_KEY_REUSED"), "{}: {:#}", case.path, reused.body);
        assert_eq!(other.everything(admin).await, before, "{}", case.path);
    })
    .await;
}

#[tokio::test]
async fn another_version_is_not_written_over() {
    each(async |case, target, admin, transport| {
        if case.makes() {
            // Nothing is there whose version could be another.
            return;
        }
        let before = target.everything(admin).await;
        let tagged = |tag: &str| Options { if_match: Some(tag.to_owned()), ..Options::default() };
        for tag in ["\"0\"", "W/\"1\"", "", "nonsense"] {
            let refused = case.call(admin, transport, target, &tagged(tag)).await;
            assert_eq!(rule(&refused), ("ABORTED", "ETAG_MISMATCH"), "{} with {tag}: {:#}", case.path, refused.body);
        }
        assert_eq!(target.everything(admin).await, before, "{}", case.path);
        let read = case.read(admin, transport, target).await;
        let tag = read.etag.unwrap_or_else(|| panic!("what {} changes is read with an entity tag", case.path));
        let done = case.call(admin, transport, target, &tagged(&format!("\"0\", {tag}"))).await;
        assert_eq!(done.code, "OK", "{}: {:#}", case.path, done.body);
    })
    .await;
}

#[tokio::test]
async fn answers_carry_the_tag_that_a_reading_has() {
    each(async |case, target, admin, transport| {
        let done = case.call(admin, transport, target, &Options::default()).await;
        if let Some(uid) = done.body.get("uid").and_then(Value::as_str) {
            let read = case.read_uid(admin, transport, uid).await;
            assert_eq!(done.etag, read.etag, "{}", case.path);
            assert!(done.etag.is_some(), "{}", case.path);
        } else {
            assert_eq!(done.etag, None, "{}: nothing with a version is answered", case.path);
        }
    })
    .await;
}
