//! How many rows of each noun live below each place, and how many of them directly in it, kept in the transaction of every
//! insert and delete.
//!
//! A row counts for `/` and for each of its proper ancestors; a group also counts below itself, so that the count of a
//! group's subtree is one lookup. A row is a child of its parent alone, and of `/` when it has none.

use domain::{Noun, Result, Uidp};

use crate::{
    Reader, Writer,
    engine::{Param, Row},
};

/// Places looked up by one statement.
const CHUNK: usize = 256;

/// Counts a row that was inserted.
pub(crate) async fn add(tx: &mut Writer, noun: Noun, uid: &Uidp) -> Result<()> {
    count(
        tx,
        "INSERT INTO counts (prefix, noun, n, children) VALUES ($1, $2, 1, $3) \
         ON CONFLICT (prefix, noun) DO UPDATE SET n = counts.n + 1, children = counts.children + $3",
        noun,
        uid,
    )
    .await
}

/// Counts a row that was deleted.
pub(crate) async fn remove(tx: &mut Writer, noun: Noun, uid: &Uidp) -> Result<()> {
    count(tx, "UPDATE counts SET n = n - 1, children = children - $3 WHERE prefix = $1 AND noun = $2", noun, uid).await
}

// Not one statement for both: the check that counts are never negative is made on the row to insert, even where the
// conflict then turns the insert into an update.
async fn count(tx: &mut Writer, sql: &str, noun: Noun, uid: &Uidp) -> Result<()> {
    let itself = (noun == Noun::Group).then_some(uid.as_str());
    let parent = uid.parent_text();
    for prefix in [Uidp::ROOT].into_iter().chain(uid.ancestors()).chain(itself) {
        tx.send(sql, &[prefix.into(), noun.as_str().into(), i64::from(prefix == parent).into()]).await?;
    }
    Ok(())
}

/// Forgets a place that is gone and has nothing below it.
pub(crate) async fn forget(tx: &mut Writer, prefix: &Uidp) -> Result<()> {
    tx.send("DELETE FROM counts WHERE prefix = $1 AND n = 0", &[prefix.into()]).await
}

/// How many rows of `noun` live below this place.
pub(crate) async fn below(reader: &mut Reader, noun: Noun, prefix: &str) -> Result<u64> {
    Ok(below_each(reader, noun, &[prefix]).await?.into_iter().map(|(_, n)| n).sum())
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
    Ok(found)
}

/// How many rows of `noun` live directly in this place; those without a parent live in `/`.
pub(crate) async fn children(reader: &mut Reader, noun: Noun, parent: &str) -> Result<u64> {
    let sql = "SELECT children FROM counts WHERE prefix = $1 AND noun = $2";
    let children = reader.query_one(sql, &[parent.into(), noun.as_str().into()], |row| row.int(0)).await?;
    Ok(children.and_then(|n| u64::try_from(n).ok()).unwrap_or(0))
}

/// Whether every row of `noun` below this place is directly in it.
pub(crate) async fn is_flat(reader: &mut Reader, noun: Noun, prefix: &str) -> Result<bool> {
    let sql = "SELECT n FROM counts WHERE prefix = $1 AND noun = $2 AND n = children";
    reader.exists(sql, &[prefix.into(), noun.as_str().into()]).await
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
