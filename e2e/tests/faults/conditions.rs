//! What holds for every mutation: `If-Match`, `Idempotency-Key` and `x-provost-validate-only` mean the same everywhere.

use client::Options;
use serde_json::{Value, json};
use testkit::{Actor, Does, Outcome, Place, Sample, Transport, samples, scenario};

fn rule(outcome: &Outcome) -> (&str, &str) {
    (&outcome.code, outcome.body["details"][0]["metadata"]["rule"].as_str().unwrap_or_default())
}

/// Plays a story of every mutation, each with a place of its own, over both transports.
async fn each(story: impl AsyncFn(&Sample, &Place, &Actor, Transport)) {
    scenario(async |s| {
        let (admin, operator) = (s.server.admin(), s.server.operator().await);
        for sample in samples::all().iter().filter(|sample| changes(sample)) {
            let place = Place::apart(&admin, "target").await;
            let actor = if sample.is_for_operators() { &operator } else { &admin };
            story(sample, &place, actor, s.transport).await;
        }
    })
    .await;
}

fn changes(sample: &Sample) -> bool {
    matches!(sample.does, Does::Make(_) | Does::Change(_) | Does::Delete(_))
}

/// All that is in the organization of the place.
async fn everything(place: &Place, admin: &Actor) -> Vec<Value> {
    let mut all = Vec::new();
    for list in samples::all().iter().filter(|sample| matches!(sample.does, Does::List(_)) && sample.takes("uidp")) {
        let request = json!({ "uidp": { "descendants_of": place.at.root_text() } });
        let listed = list.call_as(admin, Transport::Grpc, request, &Options::default()).await;
        assert_eq!(listed.code, "OK", "{:#}", listed.body);
        all.push(listed.body);
    }
    all
}

/// Reads something of the noun that the sample is about.
async fn read(sample: &Sample, actor: &Actor, transport: Transport, uid: &str) -> Outcome {
    let noun = sample.does.noun().expect("it is about a noun");
    let samples = samples::all();
    let read = samples.iter().find(|sample| sample.does == Does::Read(noun)).expect("every noun is read");
    read.call_as(actor, transport, json!({ "uid": uid }), &Options::default()).await
}

#[tokio::test]
async fn what_is_only_validated_changes_nothing() {
    each(async |sample, place, admin, transport| {
        let before = everything(place, admin).await;
        let rehearsal = Options { validate_only: true, ..Options::default() };
        let rehearsed = sample.call(admin, transport, place, &rehearsal).await;
        assert_eq!(rehearsed.code, "OK", "{}: {:#}", sample.method.path, rehearsed.body);
        assert_eq!(everything(place, admin).await, before, "{}", sample.method.path);
        let played = sample.call(admin, transport, place, &Options::default()).await;
        assert_eq!(played.code, "OK", "{}: {:#}", sample.method.path, played.body);
        assert_ne!(everything(place, admin).await, before, "{}", sample.method.path);
        let names = |outcome: &Outcome| outcome.body.get("name").cloned();
        assert_eq!(names(&rehearsed), names(&played), "{}: the rehearsal answers as the play", sample.method.path);
    })
    .await;
}

#[tokio::test]
async fn a_key_applies_once() {
    each(async |sample, place, admin, transport| {
        let keyed =
            Options { idempotency_key: Some(format!("key of {}", sample.method.path).replace(' ', "-")), ..Options::default() };
        let first = sample.call(admin, transport, place, &keyed).await;
        assert_eq!(first.code, "OK", "{}: {:#}", sample.method.path, first.body);
        let after = everything(place, admin).await;
        let again = sample.call(admin, transport, place, &keyed).await;
        if sample.method.secret_response {
            // Its answer is not kept, and was not a moment ago, either.
            assert_eq!(rule(&again), ("ABORTED", "IDEMPOTENT_REQUEST_RUNNING"), "{}: {:#}", sample.method.path, again.body);
        } else {
            assert_eq!(again, first, "{}: the whole answer, entity tag included", sample.method.path);
        }
        assert_eq!(everything(place, admin).await, after, "{}", sample.method.path);

        let other = Place::apart(admin, "other").await;
        let before = everything(&other, admin).await;
        let reused = sample.call(admin, transport, &other, &keyed).await;
        assert_eq!(rule(&reused), ("INVALID_ARGUMENT", "IDEMPOTENCY_KEY_REUSED"), "{}: {:#}", sample.method.path, reused.body);
        assert_eq!(everything(&other, admin).await, before, "{}", sample.method.path);
    })
    .await;
}

#[tokio::test]
async fn another_version_is_not_written_over() {
    each(async |sample, place, admin, transport| {
        if matches!(sample.does, Does::Make(_)) {
            // Nothing is there whose version could be another.
            return;
        }
        let before = everything(place, admin).await;
        let tagged = |tag: &str| Options { if_match: Some(tag.to_owned()), ..Options::default() };
        for tag in ["\"0\"", "W/\"1\"", "", "nonsense"] {
            let refused = sample.call(admin, transport, place, &tagged(tag)).await;
            assert_eq!(rule(&refused), ("ABORTED", "ETAG_MISMATCH"), "{} with {tag}: {:#}", sample.method.path, refused.body);
        }
        assert_eq!(everything(place, admin).await, before, "{}", sample.method.path);
        let noun = sample.does.noun().expect("it is about a noun");
        let read = read(sample, admin, transport, place.of(noun)).await;
        let tag = read.etag.unwrap_or_else(|| panic!("what {} changes is read with an entity tag", sample.method.path));
        let any = Options { validate_only: true, ..tagged("*") };
        assert_eq!(sample.call(admin, transport, place, &any).await.code, "OK", "{}: any version", sample.method.path);
        let done = sample.call(admin, transport, place, &tagged(&format!("\"0\", {tag}"))).await;
        assert_eq!(done.code, "OK", "{}: {:#}", sample.method.path, done.body);
    })
    .await;
}

#[tokio::test]
async fn answers_carry_the_tag_that_a_reading_has() {
    each(async |sample, place, admin, transport| {
        let done = sample.call(admin, transport, place, &Options::default()).await;
        let identifier = ["uid", "id", "group"].iter().find_map(|field| done.body.get(field));
        if let Some(uid) = identifier.and_then(Value::as_str) {
            let read = read(sample, admin, transport, uid).await;
            assert_eq!(done.etag, read.etag, "{}", sample.method.path);
            assert!(done.etag.is_some(), "{}", sample.method.path);
        } else {
            assert_eq!(done.etag, None, "{}: nothing with a version is answered", sample.method.path);
        }
    })
    .await;
}

#[test]
fn no_mutation_is_left_out() {
    let others: Vec<_> = samples::all().iter().filter(|sample| !changes(sample)).map(|sample| sample.method).collect();
    let others: Vec<_> = others.iter().filter(|method| !method.read_only).map(|method| method.name).collect();
    // The answers of SCIM are secrets, or take one that was made: told with identity providers. A check of accounts only asks a cloud.
    // People are of no place: they register with tokens of others, and delete themselves. What an exchange answers is a secret, and
    // exchanging again changes nothing. The last change what has no list, as is told with them. Who asks for access is of no place
    // either.
    let of_scim = ["GenerateScimToken", "RegenerateScimToken", "SetScimEnabled", "RevokeScimToken"];
    let of_access = ["RequestGroupAccess", "RequestGroupAccess", "RefuseAccessRequest", "GrantAccessRequest"];
    // What is accepted stays so, and has no version. What users tell about themselves nobody reads but they.
    let of_terms = ["AcceptTerms", "AcceptTerms", "UpdateIdentityMetadata", "UpdateMetadata"];
    let of_v1 = ["CreateDeployment", "UpdateDeployment", "UpdateRegistrySettings"];
    // Events go with their advisory, whose version theirs is: told with them.
    let of_advisories = ["CreateAdvisoryEvent", "UpdateAdvisoryEvent"];
    // No list shows what is public.
    let of_limits = ["SetResourceLimits"];
    let of_visibility = ["SetRepoVisibility", "SetGroupVisibility"];
    // What is sent again changes nothing that a list of nouns shows.
    let of_deliveries = ["ReplayDeadLetters"];
    // An import has no list, and goes on by its position: told with advisories.
    let of_imports = ["CreateAdvisoryImport", "AppendAdvisoryDocuments"];
    let checks = ["CheckAccountAssociation", "Check"];
    let of_people = ["Register", "Delete", "Exchange", "ExchangeRefreshToken"];
    assert_eq!(
        others,
        [
            &of_scim[..],
            &of_scim,
            &checks,
            &of_advisories,
            &of_people,
            &of_access,
            &of_terms,
            &of_v1,
            &of_limits,
            &of_imports,
            &of_visibility,
            &of_deliveries,
        ]
        .concat()
    );
}
