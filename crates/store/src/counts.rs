//! How many rows of each noun live below each place, and how many of them directly in it.
//!
//! Inserts and deletes add them up in memory; the group commit that they belong to writes the sums with its last statements,
//! so that the rows which everybody changes change once for all of its requests. Whoever reads within it sees them.
//!
//! A row counts for `/` and for each of its proper ancestors; one of a noun that is declared so also counts below itself, so that
//! the count of a group's subtree is one lookup. A row is a child of its parent alone, and of `/` when it has none.

use std::collections::HashMap;

use database::{Param, Row};
use domain::{Noun, Result, Uidp};

use crate::{
    Reader, Writer,
    pending::{Pending, Sum},
};

/// Places looked up by one statement.
const CHUNK: usize = 256;

/// Counts a row that was inserted, below itself as well where its noun is declared so.
pub(crate) fn add(tx: &mut Writer, noun: Noun, below_itself: bool, uid: &Uidp) -> Result<()> {
    count(tx, noun, below_itself, uid, 1)
}

/// Counts a row that was deleted.
pub(crate) fn remove(tx: &mut Writer, noun: Noun, below_itself: bool, uid: &Uidp) -> Result<()> {
    count(tx, noun, below_itself, uid, -1)
}

fn count(tx: &mut Writer, noun: Noun, below_itself: bool, uid: &Uidp, rows: i64) -> Result<()> {
    let itself = below_itself.then_some(uid.as_str());
    let parent = uid.parent_text();
    tx.counting(|pending| {
        for prefix in [Uidp::ROOT].into_iter().chain(uid.ancestors()).chain(itself) {
            let children = if prefix == parent { rows } else { 0 };
            pending.add(prefix, noun, Sum { below: rows, children });
        }
    })
}

/// Forgets a place that is gone and has nothing below it.
pub(crate) fn forget(tx: &mut Writer, prefix: &Uidp) -> Result<()> {
    tx.counting(|pending| pending.forget(prefix.as_str()))
}

/// How many rows of `noun` live below this place.
pub(crate) async fn below(reader: &mut Reader, noun: Noun, prefix: &str) -> Result<u64> {
    Ok(below_each(reader, noun, &[prefix]).await?.into_iter().map(|(_, n)| n).sum())
}

/// How many rows of `noun` an organization has, in itself and in its folders. It is not one of its own groups.
pub(crate) async fn in_organization(reader: &mut Reader, noun: Noun, organization: &str) -> Result<u64> {
    let itself = u64::from(noun == Noun::Group);
    Ok(below(reader, noun, organization).await?.saturating_sub(itself))
}

/// How many rows of `noun` live below each of these places, in no order. Those that have none may be missing.
pub(crate) async fn below_each(reader: &mut Reader, noun: Noun, prefixes: &[&str]) -> Result<Vec<(String, u64)>> {
    let mut found = Vec::with_capacity(prefixes.len());
    for chunk in prefixes.chunks(CHUNK) {
        let mut params: Vec<Param<'_>> = vec![noun.as_str().into()];
        params.extend(chunk.iter().map(|prefix| Param::from(*prefix)));
        let sql = format!("SELECT prefix, n FROM counts WHERE noun = $1 AND prefix IN ({})", placeholders(2, chunk.len()));
        let read = |row: &Row<'_>| Ok((row.string(0)?, u64::try_from(row.int(1)?).unwrap_or(0)));
        found.extend(reader.query_map(&sql, &params, read).await?);
    }
    if let Some(mut more) = reader.pending(|pending| among(pending, noun, prefixes)) {
        for (prefix, n) in &mut found {
            *n = n.saturating_add_signed(more.remove(prefix.as_str()).unwrap_or(0));
        }
        found.extend(more.into_iter().filter_map(|(prefix, n)| Some((prefix.to_owned(), u64::try_from(n).ok()?))));
    }
    Ok(found)
}

/// What is pending for these places, as far as anything is.
fn among<'a>(pending: &Pending, noun: Noun, prefixes: &[&'a str]) -> HashMap<&'a str, i64> {
    let sums = prefixes.iter().map(|prefix| (*prefix, pending.of(prefix, noun).below));
    sums.filter(|(_, below)| *below != 0).collect()
}

/// How many rows of `noun` live directly in this place; those without a parent live in `/`.
pub(crate) async fn children(reader: &mut Reader, noun: Noun, parent: &str) -> Result<u64> {
    let of = of(reader, noun, parent).await?;
    Ok(of.and_then(|counters| u64::try_from(counters.children).ok()).unwrap_or(0))
}

/// Whether every row of `noun` below this place is directly in it.
pub(crate) async fn is_flat(reader: &mut Reader, noun: Noun, prefix: &str) -> Result<bool> {
    Ok(of(reader, noun, prefix).await?.is_some_and(|counters| counters.below == counters.children))
}

/// The counters of a place, if it has any.
async fn of(reader: &mut Reader, noun: Noun, prefix: &str) -> Result<Option<Sum>> {
    let sql = "SELECT n, children FROM counts WHERE prefix = $1 AND noun = $2";
    let read = |row: &Row<'_>| Ok(Sum { below: row.int(0)?, children: row.int(1)? });
    let stored = reader.query_one(sql, &[prefix.into(), noun.as_str().into()], read).await?;
    let more = reader.pending(|pending| pending.of(prefix, noun)).filter(|more| *more != Sum::default());
    Ok(match (stored, more) {
        (Some(stored), Some(more)) => Some(stored.plus(more)),
        (stored, more) => stored.or(more),
    })
}

/// `$first, …`: `n` placeholders.
pub(crate) fn placeholders(first: usize, n: usize) -> String {
    let mut text = String::with_capacity(n * 5);
    for number in first..first + n {
        if number > first {
            text.push_str(", ");
        }
        text.push('$');
        text.push_str(&number.to_string());
    }
    text
}
