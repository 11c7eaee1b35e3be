//! Everything in the database, as one file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use store::{
    AuditEntry, Later,
    backup::{Backup, Header},
};
use tokio::{runtime::Handle, sync::mpsc, task::spawn_blocking};

use super::{
    Failure,
    protocol::{Progress, Update},
};
use crate::{Core, time};

/// Longest piece in bytes: a line of the socket holds it.
const PIECE: usize = 256 * 1024;

/// What is in a backup.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contents {
    /// When it was begun, in RFC 3339.
    pub created_at: String,
    /// The program that wrote it.
    pub version: String,
    /// The number of the database's schema.
    pub schema: i64,
    /// The engine that it was read from.
    pub engine: String,
    /// The last commit that is in it.
    pub revision: i64,
    /// The rows of each table.
    pub rows: BTreeMap<String, u64>,
}

impl From<&Header> for Contents {
    fn from(header: &Header) -> Self {
        Self {
            created_at: time::text(header.created()),
            version: header.version.clone(),
            schema: header.schema,
            engine: header.engine.clone(),
            revision: header.revision,
            rows: header.rows.clone(),
        }
    }
}

/// Hands the file to `updates`, piece by piece. Stops when nobody takes them any more.
pub(super) async fn perform(core: &Core, asked_by: &str, updates: mpsc::Sender<Update>) -> Result<Contents, Failure> {
    let ctx = core.operators().ctx("admin backup", asked_by)?;
    let mut backup = Backup::begin(&core.store, env!("CARGO_PKG_VERSION"), ctx.now).await?;
    let contents = Contents::from(backup.header());
    let total = backup.header().total();
    // Compressing keeps a thread busy, which no request should wait for.
    let work = spawn_blocking(move || {
        Handle::current().block_on(async move {
            while let Some(bytes) = backup.next().await? {
                for piece in bytes.chunks(PIECE) {
                    updates.send(Update::Piece(piece.to_vec())).await.map_err(|_| unheard())?;
                }
                let progress = Progress { done: backup.done(), total };
                updates.send(Update::Progress(progress)).await.map_err(|_| unheard())?;
            }
            Ok::<_, Failure>(())
        })
    });
    work.await.map_err(|error| Failure::failed(error.to_string()))??;
    core.store.later(Later::Audit(Box::new(AuditEntry::of(&ctx))));
    Ok(contents)
}

fn unheard() -> Failure {
    Failure::failed("nobody takes the backup any more")
}
