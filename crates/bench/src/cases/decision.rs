//! The access decision, with everything that it needs in memory.

use std::{hint::black_box, time::Instant};

use domain::{CapabilitySet, Grant, Grants, Place, Uidp};

use super::Pace;
use crate::{
    measure::median,
    report::{Budget, Row},
    world::spread,
};

/// Decisions between two looks at the clock.
const AT_ONCE: u32 = 1000;

/// Measures decisions with few and with many bindings.
pub(crate) fn measure(pace: Pace) -> Vec<Row> {
    vec![row(10, 1.0, pace), row(1000, 5.0, pace)]
}

fn row(bindings: u64, budget: f64, pace: Pace) -> Row {
    Row::alone(format!("decision, {bindings} bindings (us)"), micros(bindings, pace), Budget::Below(budget))
}

/// How long one decision takes, in microseconds: the binding that allows it is one of `bindings` in as many folders.
fn micros(bindings: u64, pace: Pace) -> f64 {
    let organization = Uidp::root_from([7; 20]);
    let folder = |number| organization.child(spread(number).to_be_bytes());
    let capabilities = CapabilitySet::from_names(["groups.list", "repo.list"]);
    let grants: Grants = (0..bindings).map(|number| Grant { at: Place::At(folder(number)), capabilities }).collect();
    let at = folder(bindings / 2).child([1; 8]).child([2; 8]);
    let needed = CapabilitySet::from_names(["repo.list"]);
    let figures = (0..pace.rounds * 4).map(|_| {
        let begin = Instant::now();
        for _ in 0..AT_ONCE {
            black_box(access::decide(black_box(&grants), black_box(&needed), black_box(&at)));
        }
        begin.elapsed().as_secs_f64() * 1e6 / f64::from(AT_ONCE)
    });
    median(figures.collect())
}
