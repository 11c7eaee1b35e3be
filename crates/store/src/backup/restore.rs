//! Restoring a backup: everything, in one transaction, or nothing.

use std::sync::Arc;

use domain::{Ctx, Error, Kind, Result, Revision, Rule};

use super::{
    archive::{Archive, Rows},
    header::Header,
    tables::{Cell, TABLES, Table, check_complete},
    verify::verify,
};
use crate::{AuditEntry, Store, Writer, audit, counts::placeholders, engine::Param};

/// Rows written by one statement.
const ROWS: usize = 50;
/// Statements that are under way at once.
const SENT: u64 = 32;

/// Hears of the rows written so far and of their number.
pub type OnProgress = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// Writes what is in `archive` into a store that holds nothing, or in place of what it holds, and leaves one audit row.
/// Before that becomes visible, everything in it was compared with everything else: counters with rows, rows with the audit
/// log, the feed with both.
///
/// # Errors
/// Failed precondition when the store holds something and `replace` is not set, or when what is in the archive does not agree
/// with itself; whatever the store answers. Then nothing has changed.
pub async fn restore(store: &Store, archive: &Archive, ctx: &Ctx, replace: bool, progress: OnProgress) -> Result<()> {
    let archive = archive.clone();
    let entry = AuditEntry::of(ctx);
    store
        .alone(ctx.clone(), move |tx| {
            Box::pin(async move {
                check_complete(tx).await?;
                empty(tx, replace).await?;
                fill(tx, &archive, &progress).await?;
                verify(tx, archive.header()).await?;
                let last = Revision(archive.header().revision + 1);
                audit::append(tx, &AuditEntry { revision: Some(last), ..entry }).await?;
                tx.set_revision(last)
            })
        })
        .await
}

/// Makes room, if that is wished for.
async fn empty(tx: &mut Writer, replace: bool) -> Result<()> {
    for table in TABLES.iter().rev() {
        if replace {
            tx.execute(&format!("DELETE FROM {}", table.name), &[]).await?;
        } else if tx.exists(&format!("SELECT 1 FROM {} LIMIT 1", table.name), &[]).await? {
            let message =
                format!("the database is in use: it has {}; restore into an empty one, or replace everything", table.name);
            return Err(Error::new(Kind::FailedPrecondition, Rule::NotEmpty, message));
        }
    }
    Ok(())
}

async fn fill(tx: &mut Writer, archive: &Archive, progress: &OnProgress) -> Result<()> {
    let (mut rows, header) = (archive.rows()?, archive.header());
    let (mut done, mut sent) = (0, 0);
    for table in TABLES {
        rows.heading(table)?;
        let mut left = expected(header, table);
        while left > 0 {
            let n = if left >= ROWS as u64 { ROWS } else { 1 };
            insert(tx, table, &mut rows, n).await?;
            (left, done, sent) = (left - n as u64, done + n as u64, sent + 1);
            if sent % SENT == 0 {
                tx.connection.settle().await?;
            }
            progress(done, header.total());
        }
    }
    tx.connection.settle().await?;
    rows.end()
}

/// How many rows of the table the archive holds.
pub(super) fn expected(header: &Header, table: &Table) -> u64 {
    header.rows.get(table.name).copied().unwrap_or_default()
}

async fn insert(tx: &mut Writer, table: &Table, rows: &mut Rows, n: usize) -> Result<()> {
    let width = table.columns.len();
    let cells = (0..n).map(|_| rows.next(table)).collect::<Result<Vec<_>>>()?;
    let params: Vec<Param<'_>> = cells.iter().flatten().map(Cell::param).collect();
    let values: Vec<_> = (0..n).map(|row| format!("({})", placeholders(row * width + 1, width))).collect();
    let sql = format!("INSERT INTO {} ({}) VALUES {}", table.name, table.names(), values.join(", "));
    tx.send(&sql, &params).await
}
