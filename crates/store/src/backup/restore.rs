//! Restoring a backup: everything, in one transaction, or nothing.

use std::sync::Arc;

use database::Param;
use domain::{Ctx, Error, Kind, Noun, Op, Result, Revision, Rule};

use super::{
    archive::Archive,
    header::Header,
    tables::{Cell, TABLES, Table, check_complete},
    verify::verify,
};
use crate::{
    AuditEntry, StoreConfig, Writer,
    chain::{Keys, SEAL},
    changes::{Change, Told},
    counts::placeholders,
    iam::identities,
    seal::seal_within,
    signing_keys,
    writes::alone,
};

/// Rows written by one statement.
const ROWS: usize = 50;
/// Statements that are under way at once.
const SENT: usize = 32;
/// Bytes of rows that are read, and that are under way, at once; the last row may exceed it.
const BYTES: usize = 4 * 1024 * 1024;
/// Revisions that a server may have used up in a millisecond: far more than any makes.
const PACE: i64 = 100;

/// How to restore.
#[derive(Clone, Debug, Default)]
pub struct How {
    /// In place of what the database holds.
    pub replace: bool,
    /// What vouches for the restored database from then on. Where they vouch for the backup, its audit log goes on; otherwise they vouch
    /// for everything in it as it is found.
    pub keys: Option<Arc<Keys>>,
}

/// Hears of the rows written so far and of their number.
pub type OnProgress = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// Writes what is in `archive` into the database of `config`, which must hold nothing, or in place of what it holds, and leaves
/// one audit row. Nobody else may have the database open, and nobody can open it meanwhile. Before that becomes visible, everything in it was compared with everything else: counters with rows, rows with the audit
/// log, the feed with both.
///
/// Revisions never go back: they continue above those of the database that is replaced, and above those that the server of the
/// backup may have given out since. So no entity tag or cache of before stands for something else afterwards. The feed
/// tells whoever has followed it across the restore that everything is new. Tokens of before are refused: some may have been revoked
/// since the backup.
///
/// # Errors
/// Failed precondition or unavailable when somebody has the database open; failed precondition when it holds something and
/// it is not to be replaced, or when the archive is inconsistent; whatever the database answers. Then nothing
/// has changed.
pub async fn restore(config: &StoreConfig, archive: &Archive, ctx: &Ctx, how: How, progress: OnProgress) -> Result<()> {
    let (archive, How { replace, keys }) = (archive.clone(), how);
    let entry = AuditEntry::of(ctx);
    alone(config, ctx.clone(), move |tx| {
        Box::pin(async move {
            check_complete(tx).await?;
            let revision = next_revision(tx, archive.header())?;
            empty(tx, replace).await?;
            fill(tx, &archive, &progress).await?;
            verify(tx, archive.header()).await?;
            identities::end_all_tokens(tx).await?;
            if let Some(keys) = keys {
                go_on(tx, &archive, keys).await?;
            }
            let change = Change { revision, ordinal: 0, noun: Noun::Store, uid: "/".to_owned(), op: Op::Updated };
            let entry = AuditEntry { revision: Some(revision), ..entry };
            tx.leave(&entry, &[Told { change, spots: None, digest: None }]).await?;
            tx.set_revision(revision)
        })
    })
    .await
}

/// Has the audit log of the backup go on with these keys.
async fn go_on(tx: &mut Writer, archive: &Archive, keys: Arc<Keys>) -> Result<()> {
    let head = archive.header().head().filter(|_| archive.check_code(&keys).is_ok());
    tx.links()?.use_keys(keys);
    if let Some(head) = head {
        tx.links()?.adopt(head);
        return Ok(());
    }
    for key in archive.signing_keys() {
        signing_keys::vouch(tx, key).await?;
    }
    let everything = seal_within(tx).await?;
    // It says so, as the entry of any other that does.
    let seal = AuditEntry { method: SEAL.to_owned(), ..AuditEntry::of(tx.ctx()) };
    tx.vouch_for_all(everything);
    tx.leave(&seal, &[]).await
}

/// The revision of the restore.
fn next_revision(tx: &mut Writer, header: &Header) -> Result<Revision> {
    let since = tx.now().0.saturating_sub(header.created_at).max(0);
    let theirs = header.revision.saturating_add(since.saturating_mul(PACE)).saturating_add(1);
    Ok(tx.next_revision()?.max(Revision(theirs)))
}

/// Makes room, if that is wished for.
async fn empty(tx: &mut Writer, replace: bool) -> Result<()> {
    for table in TABLES.iter().rev() {
        if replace {
            tx.execute(&format!("DELETE FROM {}", table.name), &[]).await?;
        } else if tx.exists(&format!("SELECT 1 FROM {} LIMIT 1", table.name), &[]).await? {
            let message = format!(
                "the database already contains data ({} rows); restore into an empty one, or replace everything in this one",
                table.name
            );
            return Err(Error::new(Kind::FailedPrecondition, Rule::NotEmpty, message));
        }
    }
    Ok(())
}

async fn fill(tx: &mut Writer, archive: &Archive, progress: &OnProgress) -> Result<()> {
    let (mut rows, header) = (archive.rows()?, archive.header());
    let (mut done, mut sent, mut under_way) = (0, 0, 0);
    for _ in TABLES.iter().filter(|table| table.is_in(header.schema)) {
        let table = rows.heading()?;
        let mut left = header.expected(table);
        while left > 0 {
            let most = usize::try_from(left).map_or(ROWS, |left| left.min(ROWS));
            let (some, bytes) = rows.some(table, most, BYTES)?;
            // Two forms of the statement for each table, so that they are prepared once.
            for rows in some.chunks(if some.len() == ROWS { ROWS } else { 1 }) {
                insert(tx, table, rows).await?;
                sent += 1;
            }
            (left, done, under_way) = (left - some.len() as u64, done + some.len() as u64, under_way + bytes);
            if sent >= SENT || under_way >= BYTES {
                tx.connection.settle().await?;
                (sent, under_way) = (0, 0);
            }
            progress(done, header.total());
        }
    }
    tx.connection.settle().await?;
    rows.end()
}

async fn insert(tx: &mut Writer, table: &Table, rows: &[Vec<Cell>]) -> Result<()> {
    let width = table.columns.len();
    let params: Vec<Param<'_>> = rows.iter().flatten().map(Cell::param).collect();
    let values: Vec<_> = (0..rows.len()).map(|row| format!("({})", placeholders(row * width + 1, width))).collect();
    let sql = format!("INSERT INTO {} ({}) VALUES {}", table.name, table.names(), values.join(", "));
    tx.send(&sql, &params).await
}
