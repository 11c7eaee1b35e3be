//! What holds for every noun of every version, told once: what is not there, who may not know, and lists. What `If-Match`,
//! `Idempotency-Key` and `x-provost-validate-only` mean is told in `faults`.

mod absent;
mod pages;
mod wrong;

use serde_json::Value;
use testkit::{Outcome, Place, Sample};

/// The request of a sample, aimed at `uid` instead of what the place has of its noun.
fn aimed(sample: &Sample, place: &Place, uid: &str) -> Value {
    let noun = sample.does.noun().expect("it is about a noun");
    let request = sample.request(place).to_string().replace(place.of(noun), uid);
    serde_json::from_str(&request).expect("it is still JSON")
}

/// Where the place has what it has of a noun.
fn parent_of<'p>(place: &'p Place, noun: &str) -> &'p str {
    place.of(noun).rsplit_once('/').expect("it has a parent").0
}

/// The rule of a refusal.
fn rule(outcome: &Outcome) -> &str {
    outcome.body["details"][0]["metadata"]["rule"].as_str().unwrap_or_default()
}

/// The fields that a refusal names.
fn fields(outcome: &Outcome) -> Vec<&str> {
    let violations = outcome.body["details"][1]["fieldViolations"].as_array();
    violations.into_iter().flatten().filter_map(|violation| violation["field"].as_str()).collect()
}
