use client::Options;
use testkit::{Actor, Does, Outcome, Place, Sample, samples, scenario};

use super::{aimed, fields, parent_of, rule};
use crate::v2beta1::absent;

/// Samples that read, change or delete one thing.
fn of_one() -> Vec<Sample> {
    let is_batch = |sample: &Sample| sample.takes("names") || sample.takes("ids");
    let one = |sample: &Sample| matches!(sample.does, Does::Read(_) | Does::Change(_) | Does::Delete(_)) && !is_batch(sample);
    let found: Vec<_> = samples::all().into_iter().filter(one).collect();
    assert!(!found.is_empty(), "there are samples");
    found
}

/// Whether deleting what does not exist is nothing to complain of.
fn may_be_gone(sample: &Sample) -> bool {
    matches!(sample.does, Does::Delete("role_binding" | "account_association"))
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    scenario(async |s| {
        let (admin, operator) = (s.server.admin(), s.server.operator().await);
        let place = Place::make(&admin, s.server.organization().as_str(), "place").await;
        for sample in of_one() {
            let actor = if sample.is_for_operators() { &operator } else { &admin };
            let noun = sample.does.noun().expect("it is about a noun");
            let another = if noun == "identity" { "role" } else { "identity" };
            for (what, uid) in [("nothing", absent(parent_of(&place, noun))), ("another noun", place.of(another).to_owned())] {
                let request = aimed(&sample, &place, &uid);
                let outcome = sample.call_as(actor, s.transport, request, &Options::default()).await;
                let expected = if may_be_gone(&sample) { "" } else { "NO_SUCH_RESOURCE" };
                assert_eq!(rule(&outcome), expected, "{}, {what}: {:#}", sample.method.path, outcome.body);
            }
        }
        for sample in samples::all().iter().filter(|sample| matches!(sample.does, Does::List(_))) {
            let noun = sample.does.noun().expect("it is about a noun");
            let request = aimed(sample, &place, &absent(parent_of(&place, noun)));
            let outcome = sample.call_as(&admin, s.transport, request, &Options::default()).await;
            assert_eq!((outcome.code.as_str(), samples::items(&outcome).len()), ("OK", 0), "{}", sample.method.path);
        }
    })
    .await;
}

#[tokio::test]
async fn who_may_not_know_learns_nothing() {
    scenario(async |s| {
        let admin = s.server.admin();
        let place = Place::make(&admin, s.server.organization().as_str(), "place").await;
        let (stranger, nobody) = (s.server.stranger().await, s.server.nobody());
        for sample in of_one() {
            let noun = sample.does.noun().expect("it is about a noun");
            let (here, nowhere) = (place.of(noun).to_owned(), absent(parent_of(&place, noun)));
            let ask = async |actor: &Actor, uid: &str| {
                let request = aimed(&sample, &place, uid);
                let Outcome { code, body, .. } = sample.call_as(actor, s.transport, request, &Options::default()).await;
                (code, body.to_string().replace(uid, "it"))
            };
            for (actor, expected) in [(&stranger, "PERMISSION_DENIED"), (&nobody, "UNAUTHENTICATED")] {
                let told = ask(actor, &here).await;
                assert_eq!(told.0, expected, "{}: {}", sample.method.path, told.1);
                assert_eq!(told, ask(actor, &nowhere).await, "{}: whether it exists makes no difference", sample.method.path);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn identifiers_have_a_form() {
    scenario(async |s| {
        let (admin, operator) = (s.server.admin(), s.server.operator().await);
        let place = Place::make(&admin, s.server.organization().as_str(), "place").await;
        for sample in of_one() {
            let request = aimed(&sample, &place, "nonsense");
            let actor = if sample.is_for_operators() { &operator } else { &admin };
            let outcome = sample.call_as(actor, s.transport, request, &Options::default()).await;
            assert_eq!(outcome.code, "INVALID_ARGUMENT", "{}: {:#}", sample.method.path, outcome.body);
            let field = sample.method.scope.last().map_or("uid", |field| field.name);
            assert_eq!(fields(&outcome), [field], "{}", sample.method.path);
        }
    })
    .await;
}
