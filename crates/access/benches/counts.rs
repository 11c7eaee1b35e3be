//! How many instructions a decision takes: `cargo xtask counts`.

#![expect(missing_docs, reason = "the macros write modules and functions of their own")]

use std::{hint::black_box, sync::Arc};

use access::{Decision, decide, narrow};
use domain::{CapabilitySet, Grant, Grants, Narrowing, Place, Scopes, Uidp};
use gungraun::{library_benchmark, library_benchmark_group, main};

/// What is decided: a caller's grants, what is needed and where.
struct Case {
    grants: Grants,
    needed: CapabilitySet,
    below: Uidp,
}

/// A viewer of this many folders, who needs `capability` two levels below the one in the middle.
fn case(bindings: u64, capability: &str) -> Case {
    let viewer = CapabilitySet::from_names(["groups.list", "repo.list", "roles.list"]);
    let grants: Grants = (0..bindings).map(|number| Grant { at: Place::At(folder(number)), capabilities: viewer }).collect();
    let needed = CapabilitySet::from_names([capability]);
    Case { grants, needed, below: folder(bindings / 2).child([7; 8]).child([8; 8]) }
}

fn folder(number: u64) -> Uidp {
    let mut root = [0; 20];
    root[..8].copy_from_slice(&(number / 10).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    Uidp::root_from(root).child((number % 10).to_be_bytes())
}

#[library_benchmark(setup = case)]
#[bench::of_1_binding(1, "groups.list")]
#[bench::of_10_bindings(10, "groups.list")]
#[bench::of_1000_bindings(1_000, "groups.list")]
#[bench::denied_with_1000_bindings(1_000, "groups.delete")]
fn decision(case: Case) -> (Decision, Case) {
    let decision = decide(&case.grants, &case.needed, black_box(&case.below));
    (decision, case)
}

// Asked for the first time; the answer is remembered with the grants.
#[library_benchmark(setup = case)]
#[bench::of_10_bindings(10, "groups.list")]
#[bench::of_1000_bindings(1_000, "groups.list")]
fn scopes(case: Case) -> (Arc<Scopes>, Case) {
    let scopes = case.grants.scopes(black_box(&case.needed));
    (scopes, case)
}

// A token that is for one folder and one capability.
#[library_benchmark(setup = case)]
#[bench::of_10_bindings(10, "groups.list")]
fn narrowing(case: Case) -> (Grants, Case) {
    let narrowing = Narrowing { scopes: Some(vec![folder(5)]), capabilities: Some(case.needed) };
    let narrowed = narrow(&case.grants, black_box(&narrowing));
    (narrowed, case)
}

library_benchmark_group!(name = decisions, benchmarks = [decision, scopes, narrowing]);
main!(library_benchmark_groups = decisions);
