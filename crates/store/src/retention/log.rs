//! Old entries of the audit log, with the changes and events of their commits.

use std::{collections::BTreeSet, sync::Arc};

use aws_lc_rs::digest::{Context, SHA256};
use database::Param;
use domain::{Ctx, Error, Kind, Noun, Result, Revision, Rule, Timestamp};

use super::{STEP, needed};
use crate::{
    Reader, Store,
    chain::{Before, Keys, TRIM, finish},
    check::{self, Finding, Means},
    floor::{self, Floor},
    nouns::NOUNS,
    seal::{Logged, Whole},
};

/// Entries that are looked at in one snapshot.
const PAGE: usize = 500;
/// Entries that the write itself reads at most, which all other writes wait for.
const LATE: u64 = 500;

/// What has become of old entries.
#[derive(Debug)]
pub enum Trimmed {
    /// There were not enough of them, or others write too much, or trim as well.
    Nothing,
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
/// Whatever the store answers.
pub async fn trim_log(store: &Store, ctx: &Ctx, keys: &Arc<Keys>, before: Timestamp, fewest: u64) -> Result<Trimmed> {
    let mut reader = store.reader().await?;
    let floor = floor::floor(&mut reader).await?;
    // A log without codes vouches for nothing.
    if reader.head().await?.is_none() {
        return Ok(Trimmed::Nothing);
    }
    let needed = needed(&mut reader).await?;
    drop(reader);
    let old = Old { store, ctx, before, needed, floor };
    if old.count(fewest).await? < fewest {
        return Ok(Trimmed::Nothing);
    }
    let (marked, upto) = old.mark().await?;
    let next = Floor { number: floor.number + 1, revision: upto.max(floor.revision) };
    let mut reader = store.reader_anew().await?;
    reader.take_time().await?;
    let means = Means::new(Some(Arc::clone(keys)), None)?;
    let findings = check::vouched(&mut reader, &means).await?;
    if !findings.is_empty() {
        return Ok(Trimmed::Damaged(findings));
    }
    let mut whole = Whole::without(next.number);
    whole.read_on(&mut reader, u64::MAX).await?;
    let last = reader.head().await?.map(|head| head.code);
    drop(reader);
    let (ctx, keys) = (Ctx { method: TRIM, ..ctx.clone() }, Arc::clone(keys));
    let trimmed = store.write(&ctx, move |tx| {
        Box::pin(async move {
            let now = floor::floor(tx).await?;
            let (mut whole, mut last, mut between) = (whole, last, None::<Context>);
            let is_whole = |logged: &Logged| {
                let Some(code) = logged.code else {
                    logged.content.hash(between.get_or_insert_with(|| Context::new(&SHA256)));
                    return true;
                };
                let before = Before::Link(last, between.take().map(|hash| finish(hash.finish())));
                last = Some(code);
                keys.any(code.key).is_some_and(|key| logged.content.code(key, before) == code)
            };
            let came = whole.read_judged(tx, LATE, is_whole).await?;
            if now != floor || came.is_none_or(|came| came >= LATE) {
                return Err(Error::new(Kind::Aborted, Rule::Contended, "the audit log has changed meanwhile"));
            }
            let sql = "INSERT INTO retention (one, number, floor) VALUES (1, $1, $2) \
                       ON CONFLICT (one) DO UPDATE SET number = $1, floor = $2";
            tx.execute(sql, &[next.number.into(), next.revision.into()]).await?;
            tx.vouch_for_all(whole.digest());
            Ok(())
        })
    });
    match trimmed.await {
        Ok(()) => Ok(Trimmed::Marked(marked)),
        Err(error) if error.rule() == Rule::Contended => Ok(Trimmed::Nothing),
        Err(error) => Err(error),
    }
}

/// Removes some of the entries that go, with the changes and events of their commits. Answers whether there are more.
///
/// # Errors
/// Resource exhausted and unavailable when the storage cannot take the write; internal when it fails.
pub async fn remove_marked(store: &Store, ctx: &Ctx) -> Result<bool> {
    let sql = format!("SELECT id, revision FROM audit WHERE goes <= (SELECT number FROM retention) LIMIT {STEP}");
    let mut reader = store.reader().await?;
    let gone = reader.query_map(&sql, &[], |row| Ok((row.int(0)?, row.opt_int(1)?.map(Revision)))).await?;
    drop(reader);
    let found = gone.len();
    if found == 0 {
        return Ok(false);
    }
    store
        .bookkeeping(ctx.clone(), move |tx| {
            Box::pin(async move {
                for (id, revision) in gone {
                    tx.send("DELETE FROM audit WHERE id = $1", &[id.into()]).await?;
                    for table in revision.map_or(&[][..], |_| &["changes", "outbox", "spent_events"]) {
                        let of = revision.map_or(Param::Null, Param::from);
                        tx.send(&format!("DELETE FROM {table} WHERE revision = $1"), &[of]).await?;
                    }
                }
                Ok(())
            })
        })
        .await?;
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
    async fn mark(&self) -> Result<(u64, Revision)> {
        let (mut count, mut last, mut next) = (0, Revision::default(), Some(i64::MIN));
        while let Some(after) = next {
            let page = self.page(after).await?;
            next = page.next;
            count += page.go.len() as u64;
            last = page.go.iter().filter_map(|(_, revision)| *revision).max().unwrap_or_default().max(last);
            let number = self.floor.number + 1;
            for some in page.go.chunks(STEP) {
                let ids: Vec<_> = some.iter().map(|(id, _)| *id).collect();
                let mark = self.store.bookkeeping(self.ctx.clone(), move |tx| {
                    Box::pin(async move {
                        for id in ids {
                            tx.send("UPDATE audit SET goes = $1 WHERE id = $2", &[number.into(), id.into()]).await?;
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
            format!("SELECT id, revision, at FROM audit WHERE id > $1 AND (goes IS NULL OR goes > $2) ORDER BY id LIMIT {PAGE}");
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
