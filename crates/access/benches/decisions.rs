//! How long decisions take, in nanoseconds: `cargo bench -p access`.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use access::{decide, narrow};
use domain::{CapabilitySet, Grant, Grants, Narrowing, Place, Uidp};

/// How long one figure is measured.
const LONG: Duration = Duration::from_millis(300);

#[expect(clippy::print_stdout, reason = "a bench tells its figures")]
fn main() {
    println!(
        "{:>8} {:>10} {:>10} {:>10} {:>12} {:>12} {:>12}",
        "bindings", "decide", "deny", "scopes", "scopes cold", "prepare", "narrow"
    );
    for bindings in [1, 10, 1_000, 10_000] {
        let listed = grants(bindings);
        let grants: Grants = listed.iter().cloned().collect();
        let needed = CapabilitySet::from_names(["groups.list"]);
        let denied = CapabilitySet::from_names(["groups.delete"]);
        let below = place(bindings / 2).child([7; 8]).child([8; 8]);
        let narrowing = Narrowing { scopes: Some(vec![place(bindings / 2)]), capabilities: Some(needed) };
        let figures = [
            nanoseconds(|| decide(&grants, &needed, black_box(&below))),
            nanoseconds(|| decide(&grants, &denied, black_box(&below))),
            nanoseconds(|| grants.scopes(black_box(&needed))),
            nanoseconds(|| listed.iter().cloned().collect::<Grants>().scopes(&needed)),
            nanoseconds(|| listed.iter().cloned().collect::<Grants>()),
            nanoseconds(|| narrow(&grants, black_box(&narrowing))),
        ];
        let [allow, deny, scopes, cold, prepare, narrow] = figures;
        println!("{bindings:>8} {allow:>10} {deny:>10} {scopes:>10} {cold:>12} {prepare:>12} {narrow:>12}");
    }
}

/// Viewers of folders, ten to an organization.
fn grants(bindings: u64) -> Vec<Grant> {
    let capabilities = CapabilitySet::from_names(["groups.list", "repo.list", "roles.list"]);
    (0..bindings).map(|number| Grant { at: Place::At(place(number)), capabilities }).collect()
}

fn place(number: u64) -> Uidp {
    let mut root = [0; 20];
    root[..8].copy_from_slice(&(number / 10).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    Uidp::root_from(root).child((number % 10).to_be_bytes())
}

/// How long one call takes: the best of many rounds, since everything else on a machine only adds.
fn nanoseconds<T>(mut work: impl FnMut() -> T) -> u128 {
    let (begin, mut best) = (Instant::now(), u128::MAX);
    while begin.elapsed() < LONG {
        let round = Instant::now();
        for _ in 0..16 {
            black_box(work());
        }
        best = best.min(round.elapsed().as_nanos() / 16);
    }
    best
}
