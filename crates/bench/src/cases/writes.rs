//! Durable writes: 64 writers, each of whom waits for the disk before the next.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use domain::{Ctx, EventRule};
use serde_json::json;

use super::Pace;
use crate::{
    Result,
    load::{
        Clients,
        http::{self, Connection},
    },
    measure::in_turn,
    reference::commit::GroupCommit,
    report::{Budget, Row},
    served::{self, Server},
    world::{self, DESCRIPTION, NAME, spread},
};

/// Tasks that write through the store, and connections that write over the port.
pub(crate) const WRITERS: u64 = 64;
pub(crate) const CONNECTIONS: usize = 64;
const EVENT: EventRule = EventRule { kind: "dev.chainguard.api.iam.group.created.v1", customer: true };

/// Measures folders that the store adds, and folders that are created over the port, beside the engine's own group commit.
/// The engine writes to a database of its own in `folder`, on the same disk and with the same schema.
pub(crate) async fn measure(server: &Server, clients: &Clients, folder: &Path, pace: Pace) -> Result<Vec<Row>> {
    served::store(folder).await?.close().await;
    let raw = GroupCommit::start(&folder.join("provost.db"), server.organization.as_str())?;
    let numbers = Arc::new(AtomicU64::new(1 << 32));
    let mut connections = Connection::crowd(clients, server.address, request(server), CONNECTIONS).await?;
    let stored = async || together(pace.slice, &numbers, |number| stored(server, number)).await;
    let bare = async || {
        together(pace.slice, &numbers, |number| {
            let raw = raw.clone();
            async move { raw.add(spread(number)).await }
        })
        .await
    };
    let store = in_turn(pace.rounds, stored, bare).await?;
    let port = in_turn(pace.rounds, async || clients.load(&mut connections, pace.slice).await, bare).await?;
    Ok(vec![
        Row::beside("durable writes, 64 writers (writes/s)", store.ours, store.reference, Budget::Ratio(0.8)),
        Row::beside("create, JSON, 64 clients (requests/s)", port.ours, port.reference, Budget::Reported),
    ])
}

/// One folder through the store, with what a request for it leaves behind.
pub(crate) fn stored(server: &Server, number: u64) -> impl Future<Output = Result<()>> + Send + 'static {
    let ctx = Ctx { api_version: "v2beta1", event: Some(EVENT), ..server.ctx("write") };
    let folder = world::folder(&server.organization, spread(number), ctx.now);
    let store = server.store.clone();
    async move {
        store.write(&ctx, move |tx| Box::pin(async move { world::add_folder(tx, &folder).await })).await?;
        Ok(())
    }
}

/// Lets the writers write for `time`; writes per second.
pub(crate) async fn together<F>(time: Duration, numbers: &Arc<AtomicU64>, write: impl Fn(u64) -> F) -> Result<f64>
where
    F: Future<Output = Result<()>> + Send + 'static,
{
    let begin = Instant::now();
    let mut writers = tokio::task::JoinSet::new();
    let mut busy = 0;
    let mut done = 0u32;
    loop {
        while busy < WRITERS && begin.elapsed() < time {
            writers.spawn(write(numbers.fetch_add(1, Ordering::Relaxed)));
            busy += 1;
        }
        match writers.join_next().await {
            Some(written) => written??,
            None => return Ok(f64::from(done) / begin.elapsed().as_secs_f64()),
        }
        busy -= 1;
        done += 1;
    }
}

/// A folder over the port.
pub(crate) fn request(server: &Server) -> Vec<u8> {
    let body = json!({"name": NAME, "description": DESCRIPTION}).to_string();
    http::post(&format!("/iam/v2beta1/groups/{}", server.organization), &server.owner, &body)
}
