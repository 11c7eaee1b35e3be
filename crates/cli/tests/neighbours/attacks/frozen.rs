//! A node that is stopped in the middle of a write, and holds the lock that all nodes share.

use std::time::Duration;

use contract::Verb;
use serde_json::json;
use tokio::task::JoinSet;

use crate::{
    derive::json::Rest,
    doors::{self, ATTACKER},
    program::Server,
    site::Site,
    stage::{Length, Log},
};

/// How long writes may wait for such a node: as long as its transaction may do nothing, and a little.
pub(crate) const WRITES: Duration = Duration::from_secs(6);
/// How often a node is stopped until it holds the lock.
const TRIES: usize = 40;
const WRITERS: usize = 8;

/// Freezes a third node while it writes.
pub(crate) async fn node(site: &Site, log: &Log, length: Length) {
    let server = site.further_node();
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (to, token) = (server.address, site.cast.owner.token.clone());
        let path = format!("/iam/v2beta1/groups/{}", site.cast.owner.organization);
        writers.spawn(async move {
            let client = doors::http1(ATTACKER, false);
            for number in 0.. {
                let body = json!({ "name": format!("frozen-{writer}-{number}") }).to_string().into_bytes();
                let rest = Rest { verb: Verb::Post, path: path.clone(), body: Some(body) };
                doors::json(&client, to, rest, Some(&token), false, &[]).await;
            }
        });
    }
    let holds = log.during("a frozen node", freeze(site, &server, length)).await;
    if !holds {
        log.wrong(format!("in {TRIES} tries the node was never stopped in the middle of a write"));
    }
    writers.abort_all();
    server.signal("CONT");
}

/// Stops the node again and again until a writer of another node waits for it, and lets it be. Whether one did.
async fn freeze(site: &Site, server: &Server, length: Length) -> bool {
    const WAITING: &str = "SELECT coalesce(string_agg(pid || ' ' || query_start, ',' ORDER BY pid), '') FROM pg_stat_activity \
                        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    for turn in 0..TRIES {
        tokio::time::sleep(Duration::from_millis(20 + 7 * u64::try_from(turn).expect("a small number"))).await;
        server.signal("STOP");
        // Who waits for a moment, for a node that runs, waits for something else a little later.
        let first = site.database().sql(WAITING);
        tokio::time::sleep(Duration::from_millis(300)).await;
        let same = |waiting: &&str| !waiting.is_empty() && site.database().sql(WAITING).contains(*waiting);
        if first.split(',').any(|waiting| same(&waiting)) {
            tokio::time::sleep(Duration::from_secs(length.pick(9, 25))).await;
            return true;
        }
        server.signal("CONT");
    }
    false
}
