//! Old entries of the audit log, with the changes and events of their commits.

use std::{collections::BTreeSet, sync::Arc};

use domain::{Ctx, Noun, Result, Revision, Rule, Timestamp};

use super::{STEP, claim::Claim, needed};
use crate::{
    Reader, Store,
    chain::{Keys, TRIM},
    check::{self, Finding},
    floor::{self, Floor},
    nouns::NOUNS,
    seal::{Whole, vouch_in},
};

/// Entries that are looked at in one snapshot.
const PAGE: usize = 500;

/// What has become of old entries.
#[derive(Debug)]
pub enum Trimmed {
    /// There were not enough of them.
    Nothing,
    /// Another node has begun to remove them, or others write too much at the moment; nothing goes.
    Contended,
    /// The log vouches for what stays, and so many entries go: [`remove_marked`] removes them.
    Marked(u64),
    /// What is there is not what the log vouches for, so nothing goes.
    Damaged(Vec<Finding>),
}

/// Has the entries go that are older than `before` and whose commits are not the last of anything that is there, if they are at least
/// `fewest`. An entry of the method [`TRIM`] vouches for those that stay.
///
/// The whole log is read and judged before. Others may be writing.
///
/// # Errors
/// Failed precondition when an entry that comes meanwhile is not as it was written; whatever the store answers.
pub async fn trim_log(store: &Store, ctx: &Ctx, keys: &Arc<Keys>, before: Timestamp, fewest: u64) -> Result<Trimmed> {
    let mut reader = store.reader().await?;
    // A log without codes vouches for nothing.
    if reader.head().await?.is_none() {
        return Ok(Trimmed::Nothing);
    }
    let (needed, floor) = (needed(&mut reader).await?, floor::floor(&mut reader).await?);
    drop(reader);
    let old = Old { store, ctx, before, needed, floor };
    if old.count(fewest).await? < fewest {
        return Ok(Trimmed::Nothing);
    }
    match old.go(keys).await {
        Err(error) if error.rule() == Rule::Contended => Ok(Trimmed::Contended),
        trimmed => trimmed,
    }
}

/// Removes some of the entries that go, with the changes and events of their commits. Answers whether there are more.
///
/// # Errors
/// Resource exhausted and unavailable when the storage cannot take the write; internal when it fails.
pub async fn remove_marked(store: &Store, ctx: &Ctx) -> Result<bool> {
    let sql = format!("SELECT id, revision FROM audit WHERE goes = (SELECT number FROM retention) LIMIT {STEP}");
    let mut reader = store.reader().await?;
    let gone = reader.query_map(&sql, &[], |row| Ok((row.int(0)?, row.opt_int(1)?.map(Revision)))).await?;
    drop(reader);
    let found = gone.len();
    if found == 0 {
        return Ok(false);
    }
    let remove = store.bookkeeping(ctx.clone(), move |tx| {
        Box::pin(async move {
            for (id, revision) in gone {
                tx.send("DELETE FROM audit WHERE id = $1", &[id.into()]).await?;
                let Some(revision) = revision else { continue };
                for table in ["changes", "outbox", "spent_events"] {
                    tx.send(&format!("DELETE FROM {table} WHERE revision = $1"), &[revision.into()]).await?;
                }
            }
            Ok(())
        })
    });
    remove.await?;
    Ok(found == STEP)
}

/// The old entries of the log.
struct Old<'a> {
    store: &'a Store,
    ctx: &'a Ctx,
    before: Timestamp,
    /// Events of this commit and later ones may still be delivered.
    needed: Revision,
    floor: Floor,
}

/// Some of them.
struct Page {
    /// Those that may go, and their commits.
    go: Vec<(i64, Option<Revision>)>,
    /// Where the next ones are; `None` at the end.
    next: Option<i64>,
}

impl Old<'_> {
    /// Has them go.
    async fn go(&self, keys: &Arc<Keys>) -> Result<Trimmed> {
        let Some(claim) = Claim::take(self.store, self.ctx).await? else { return Ok(Trimmed::Contended) };
        let (marked, last) = self.mark(claim).await?;
        let mut reader = self.store.reader_anew().await?;
        reader.take_time().await?;
        let findings = check::vouched(&mut reader, Arc::clone(keys)).await?;
        if !findings.is_empty() {
            return Ok(Trimmed::Damaged(findings));
        }
        let whole = Whole::without(&mut reader, claim.number).await?.judged(&mut reader, Arc::clone(keys)).await?;
        drop(reader);
        let next = Floor { number: claim.number, revision: last.max(self.floor.revision) };
        vouch_in(self.store, &Ctx { method: TRIM, ..self.ctx.clone() }, whole, move |tx| {
            Box::pin(async move {
                claim.hold(tx).await?;
                tx.execute("UPDATE retention SET number = $1, floor = $2", &[next.number.into(), next.revision.into()]).await?;
                Ok(())
            })
        })
        .await?;
        Ok(Trimmed::Marked(marked))
    }

    /// How many may go, or `enough` as soon as there are as many.
    async fn count(&self, enough: u64) -> Result<u64> {
        let (mut count, mut next) = (0, Some(i64::MIN));
        while let (Some(after), true) = (next, count < enough) {
            let page = self.page(after).await?;
            count += page.go.len() as u64;
            next = page.next;
        }
        Ok(count)
    }

    /// Marks all that may go. Answers how many these are, and their last commit.
    async fn mark(&self, claim: Claim) -> Result<(u64, Revision)> {
        let (mut count, mut last, mut next) = (0, Revision::default(), Some(i64::MIN));
        while let Some(after) = next {
            let page = self.page(after).await?;
            next = page.next;
            count += page.go.len() as u64;
            last = page.go.iter().filter_map(|(_, revision)| *revision).max().unwrap_or_default().max(last);
            for some in page.go.chunks(STEP) {
                let ids: Vec<_> = some.iter().map(|(id, _)| *id).collect();
                let mark = self.store.bookkeeping(self.ctx.clone(), move |tx| {
                    Box::pin(async move {
                        claim.hold(tx).await?;
                        for id in ids {
                            tx.send("UPDATE audit SET goes = $1 WHERE id = $2", &[claim.number.into(), id.into()]).await?;
                        }
                        Ok(())
                    })
                });
                mark.await?;
            }
        }
        Ok((count, last))
    }

    /// The next of them behind the entry `after`.
    async fn page(&self, after: i64) -> Result<Page> {
        let mut reader = self.store.reader().await?;
        let sql =
            format!("SELECT id, revision, at FROM audit WHERE id > $1 AND (goes IS NULL OR goes <> $2) ORDER BY id LIMIT {PAGE}");
        let read = |row: &database::Row<'_>| Ok((row.int(0)?, row.opt_int(1)?.map(Revision), row.time(2)?));
        let found = reader.query_map(&sql, &[after.into(), self.floor.number.into()], read).await?;
        let is_old = |revision: &Option<Revision>, at: &Timestamp| {
            *at < self.before && revision.is_none_or(|revision| revision < self.needed)
        };
        let old: Vec<_> = found.iter().take_while(|(_, revision, at)| is_old(revision, at)).collect();
        let next = old.last().filter(|_| old.len() == PAGE).map(|(id, ..)| *id);
        let kept = lasting(&mut reader, old.iter().filter_map(|(_, revision, _)| *revision)).await?;
        let goes = |revision: &Option<Revision>| revision.is_none_or(|revision| !kept.contains(&revision));
        let go = old.iter().filter(|(_, revision, _)| goes(revision)).map(|(id, revision, _)| (*id, *revision)).collect();
        Ok(Page { go, next })
    }
}

/// Those of the commits that are the last of something that is there.
async fn lasting(reader: &mut Reader, commits: impl Iterator<Item = Revision> + Clone) -> Result<BTreeSet<Revision>> {
    let Some((first, last)) = commits.clone().min().zip(commits.max()) else { return Ok(BTreeSet::new()) };
    let of = |noun: Noun, table: &str, key: &str| {
        format!(
            "SELECT c.revision FROM changes c JOIN {table} t ON t.{key} = c.uid AND t.revision = c.revision \
             WHERE c.revision >= $1 AND c.revision <= $2 AND c.noun = '{}'",
            noun.as_str()
        )
    };
    let nouns = NOUNS.all().map(|noun| of(noun.noun, noun.table, "uid"));
    let all: Vec<_> = nouns.chain([of(Noun::SigningKey, "signing_keys", "kid")]).collect();
    let found = reader.query_map(&all.join(" UNION "), &[first.into(), last.into()], |row| row.revision(0)).await?;
    Ok(found.into_iter().collect())
}
