//! Restoring a backup: everything, in one transaction, or nothing.

use std::sync::Arc;

use database::Param;
use domain::{Ctx, Error, Kind, Noun, Op, Result, Revision, Rule};

use super::{
    archive::Archive,
    header::Header,
    tables::{Cell, TABLES, Table, check_complete},
    verify::{verify, verify_codes},
};
use crate::{
    AuditEntry, StoreConfig, Writer,
    chain::{Keys, SEAL},
    changes::{Change, Told},
    check::{Finding, GREATEST},
    counts::placeholders,
    iam::identities,
    seal::{digest_within, refresh_within},
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
    /// Whatever the codes in it say, and those that it lacks; see [`restore`].
    pub trust: bool,
    /// With the signing keys of the backup. Otherwise they are removed, and the server makes a new one: some may have been removed since
    /// because somebody else had them.
    pub keep_signing_keys: bool,
    /// What its codes are compared with, and what vouches for everything in it from then on.
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
/// since the backup. What codes vouch for is compared as well, and from then on everything is vouched for as a whole.
///
/// Answers what the codes in it say of other hands, where it is to be trusted all the same.
///
/// # Errors
/// Failed precondition or unavailable when somebody has the database open; failed precondition when it holds something and
/// it is not to be replaced, or when the archive is inconsistent; whatever the database answers. Then nothing
/// has changed.
pub async fn restore(config: &StoreConfig, archive: &Archive, ctx: &Ctx, how: How, progress: OnProgress) -> Result<Vec<Finding>> {
    let (archive, How { replace, trust, keep_signing_keys, keys }) = (archive.clone(), how);
    let entry = AuditEntry::of(ctx);
    alone(config, ctx.clone(), move |tx| {
        Box::pin(async move {
            check_complete(tx).await?;
            let revision = next_revision(tx, archive.header())?;
            empty(tx, replace).await?;
            fill(tx, &archive, &progress).await?;
            verify(tx, archive.header()).await?;
            let findings = verify_codes(tx, archive.header(), keys.clone(), trust).await?;
            identities::end_all_tokens(tx).await?;
            let mut told = signing_keys_of(tx, &archive, keep_signing_keys).await?;
            vouch(tx, &archive, keep_signing_keys, keys).await?;
            told.push((Noun::Store, "/".to_owned(), Op::Updated));
            let changes = (0..).zip(told).map(|(ordinal, (noun, uid, op))| Change { revision, ordinal, noun, uid, op });
            let told: Vec<_> = changes.map(|change| Told { change, spots: None, digest: None }).collect();
            let entry = AuditEntry { revision: Some(revision), ..entry };
            tx.leave(&entry, &told).await?;
            tx.set_revision(revision)?;
            Ok(findings)
        })
    })
    .await
}

/// Removes the signing keys of the backup, unless they are to be kept. Answers what the feed has to tell of that.
async fn signing_keys_of(tx: &mut Writer, archive: &Archive, keep: bool) -> Result<Vec<(Noun, String, Op)>> {
    if keep {
        return Ok(Vec::new());
    }
    tx.send("DELETE FROM signing_keys", &[]).await?;
    Ok(archive.signing_keys().iter().map(|key| (Noun::SigningKey, key.kid.clone(), Op::Deleted)).collect())
}

/// Vouches for everything with these keys, as it was compared or is trusted. Where a key is kept that no code vouches for, somebody has
/// compared it with its private half.
async fn vouch(tx: &mut Writer, archive: &Archive, keep: bool, keys: Option<Arc<Keys>>) -> Result<()> {
    refresh_within(tx).await?;
    let Some(keys) = keys else { return Ok(()) };
    let is_unsigned = archive.check_code(&keys).is_err();
    tx.links()?.use_keys(keys);
    for key in archive.signing_keys().iter().filter(|_| keep && is_unsigned) {
        signing_keys::vouch(tx, key).await?;
    }
    let everything = digest_within(tx).await?;
    // It says so, as the entry of any other that does.
    let seal = AuditEntry { method: SEAL.to_owned(), ..AuditEntry::of(tx.ctx()) };
    tx.vouch_for_all(everything);
    tx.leave(&seal, &[]).await
}

/// The revision of the restore.
fn next_revision(tx: &mut Writer, header: &Header) -> Result<Revision> {
    let since = tx.now().0.saturating_sub(header.created_at).max(0);
    let theirs = header.revision.saturating_add(since.saturating_mul(PACE)).saturating_add(1);
    let revision = tx.next_revision()?.max(Revision(theirs));
    if revision.0 <= GREATEST {
        return Ok(revision);
    }
    let message = format!(
        "the restore would be commit {}, which no database comes to: the backup was made up, or the database",
        revision.0
    );
    Err(Error::new(Kind::FailedPrecondition, Rule::Unavailable, message))
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
