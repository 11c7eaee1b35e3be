//! Noisy neighbours: whatever one caller does, another one's requests are answered, soon and right, and the server stays within
//! its memory.
//!
//! Every method that the server has is called with inputs made from its descriptor (`derive`), as strangers, as callers without
//! rights and as the owner of another organization; then come the attacks that are known by name (`attacks`). Meanwhile the
//! neighbour reads, writes and exchanges from another address, on PostgreSQL at two nodes.
//!
//! The server is a process of its own. Of the environment:
//!
//! - `PROVOST_TEST_DATABASE=postgres`: on PostgreSQL instead of SQLite.
//! - `PROVOST_TEST_NEIGHBOURS=long`: all combinations, and the neighbour's p99 is held against its quiet one.
//! - `PROVOST_TEST_ATTACK=TEXT`: only attacks whose name has this text.
//! - `PROVOST_TEST_SEED=NUMBER`: in the short form, other inputs for each method.
//! - `PROVOST=PROGRAM`: another program, to compare with.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and tells a table"
)]
#![expect(clippy::disallowed_methods, reason = "what is tried, and on what, comes from the environment")]

mod attacks;
mod cast;
mod control;
mod derive;
mod doors;
mod neighbour;
mod others;
mod program;
mod site;
mod stage;
mod table;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{
    attacks::{ATTACKS, derived, frozen},
    derive::recipe::Class,
    site::Engine,
    stage::{Length, Log, Stage},
};

/// By how much memory may differ after the same attacks once more.
const GROWTH: u64 = 24 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_takes_anothers_share() {
    let (engine, length) = (Engine::of_this_run(), Length::of_this_run());
    let only = std::env::var("PROVOST_TEST_ATTACK").unwrap_or_default();
    let seed = std::env::var("PROVOST_TEST_SEED").ok().map_or(1, |seed| seed.parse().expect("PROVOST_TEST_SEED is a number"));
    let wanted = |name: &str| name.contains(&only);
    if let Err(why) = doors::addresses() {
        assert!(std::env::var_os("PROVOST_TEST_REQUIRE").is_none(), "{why}");
        eprintln!("SKIPPED: {why}");
        return;
    }
    raise_open_files();

    let mut stage = Stage::open(engine, length).await;
    let methods = derived::served(stage.site()).await;
    println!("{engine:?}, {length:?}, seed {seed}: {} of {} methods are served", methods.len(), contract::METHODS.len());
    assert!(methods.len() > 20, "there is nothing to attack");

    derived::all(&mut stage, &methods, seed, wanted).await;
    for attack in ATTACKS.iter().filter(|attack| wanted(attack.name)) {
        stage.row(attack.name, async |site, log, length| (attack.carry_out)(site, log, length).await).await;
    }
    if engine == Engine::Postgres && wanted("a frozen node") {
        let freeze = async |site: &_, log: &Log, length| frozen::node(site, log, length).await;
        stage.row_with("a frozen node", frozen::WRITES, freeze).await;
    }
    if length == Length::Long {
        stage.table.compare();
    }
    if only.is_empty() {
        does_not_grow(&mut stage, &methods, seed).await;
    }

    println!("{}", stage.table.text());
    assert!(stage.table.failures.is_empty(), "seed {seed}:\n{}", stage.table.failures.join("\n"));
}

/// The same attacks twice: what the first have left is all that there is.
async fn does_not_grow(stage: &mut Stage, methods: &[&'static contract::Method], seed: usize) {
    let mut rest = Vec::new();
    for _ in 0..2 {
        for class in [Class::Elements, Class::Mask] {
            derived::once_more(stage, methods, class, seed).await;
        }
        rest.push(stage.at_rest().await);
    }
    if rest[1] > rest[0] + GROWTH {
        stage.table.failures.push(format!("memory grows with every round: {} MB, then {} MB", rest[0] >> 20, rest[1] >> 20));
    }
}

/// As many open files as this process may have; servers inherit them.
fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// How many files this process may have open.
pub(crate) fn open_files() -> usize {
    getrlimit(Resource::Nofile).current.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}
