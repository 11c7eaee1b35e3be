//! Reading the keys of an index: all of them when fences are made, one part when it has grown.

use std::sync::Arc;

use domain::{Error, OrderField, Result};

use super::{
    Fences, Key, Walk, Within,
    fences::Part,
    parents::{Parents, Tally},
};
use crate::{
    CursorKey, Reader,
    counts::placeholders,
    engine::{Param, Row},
};

/// The whole walk in parts of `stride`, with tallies of `parents` where they are wanted; `None` as soon as `go_on` says no.
pub(super) async fn all(
    reader: &mut Reader,
    walk: Walk,
    parents: &Arc<Parents>,
    stride: usize,
    go_on: impl Fn() -> bool,
) -> Result<Option<Fences>> {
    let parents = walk.is_tallied().then(|| Arc::clone(parents));
    let parts = parts(reader, walk, (None, None), parents.as_deref(), stride, go_on).await?;
    Ok(parts.map(|parts| Fences::new(parts, parents)))
}

/// The keys of a part, divided anew.
pub(super) async fn divided(reader: &mut Reader, walk: Walk, fences: &Fences, part: usize, stride: usize) -> Result<Vec<Part>> {
    // The first part begins before every key, with one that no index has.
    let range = (fences.first(part).filter(|first| **first != Key::least()), fences.first(part + 1));
    let parents = fences.parents().map(|parents| &**parents);
    Ok(parts(reader, walk, range, parents, stride, || true).await?.unwrap_or_default())
}

/// From a key on, and to before another.
type Range<'a> = (Option<&'a Key>, Option<&'a Key>);

/// Steps from each `stride`th key to the next. Every statement is short, so that nobody waits for it.
async fn parts(
    reader: &mut Reader,
    walk: Walk,
    (from, to): Range<'_>,
    parents: Option<&Parents>,
    stride: usize,
    go_on: impl Fn() -> bool,
) -> Result<Option<Vec<Part>>> {
    let mut parts = Vec::new();
    let mut first = key_behind(reader, walk, (from, to), 0).await?;
    while let Some(key) = first {
        if !go_on() {
            return Ok(None);
        }
        let (next, keys, tally) = if let Some(parents) = parents {
            tallied(reader, walk, (Some(&key), to), parents, stride).await?
        } else {
            let next = key_behind(reader, walk, (Some(&key), to), stride).await?;
            let keys = if next.is_some() { stride } else { count(reader, walk, (Some(&key), to)).await? };
            (next, keys, Tally::default())
        };
        parts.push((key, u32::try_from(keys).map_err(Error::internal)?, tally));
        first = next;
        tokio::task::yield_now().await;
    }
    Ok(Some(parts))
}

/// The first `stride` keys of a range: the key behind them, how many there are, and what parents they have.
async fn tallied(
    reader: &mut Reader,
    walk: Walk,
    range: Range<'_>,
    parents: &Parents,
    stride: usize,
) -> Result<(Option<Key>, usize, Tally)> {
    let columns = columns(walk);
    let (uid, (conditions, params)) = (columns.len() - 1, conditions(walk, range));
    let (columns, by) = (columns.join(", "), reader.walk(walk.index()));
    let sql = format!("SELECT {columns} FROM {}{by}{conditions} ORDER BY {columns} LIMIT {}", walk.table, stride + 1);
    let (mut next, mut keys, mut numbers) = (None, 0, Vec::with_capacity(stride));
    let read = |row: &Row<'_>| {
        if keys == stride {
            next = Some(key(walk, row)?);
        } else {
            keys += 1;
            numbers.extend(parents.of(row.text(uid)?));
        }
        Ok(())
    };
    reader.query_map(&sql, &params, read).await?;
    Ok((next, keys, Tally::of(numbers)))
}

/// The key behind so many others of the range.
async fn key_behind(reader: &mut Reader, walk: Walk, range: Range<'_>, keys: usize) -> Result<Option<Key>> {
    let columns = columns(walk).join(", ");
    let (conditions, params) = conditions(walk, range);
    let by = reader.walk(walk.index());
    let sql = format!("SELECT {columns} FROM {}{by}{conditions} ORDER BY {columns} LIMIT 1 OFFSET {keys}", walk.table);
    reader.query_one(&sql, &params, |row| key(walk, row)).await
}

async fn count(reader: &mut Reader, walk: Walk, range: Range<'_>) -> Result<usize> {
    let (conditions, params) = conditions(walk, range);
    let sql = format!("SELECT count(*) FROM {}{}{conditions}", walk.table, reader.walk(walk.index()));
    let keys = reader.query_one(&sql, &params, |row| row.int(0)).await?;
    usize::try_from(keys.unwrap_or_default()).map_err(Error::internal)
}

fn conditions(walk: Walk, (from, to): Range<'_>) -> (String, Vec<Param<'_>>) {
    let columns = columns(walk);
    let (mut conditions, mut params) = (Vec::new(), Vec::new());
    for (key, how) in [(from, ">="), (to, "<")].into_iter().filter_map(|(key, how)| Some((key?, how))) {
        let marks = placeholders(params.len() + 1, columns.len());
        conditions.push(format!("({}) {how} ({marks})", columns.join(", ")));
        params.extend(values(walk, key));
    }
    let sql = if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
    (sql, params)
}

/// The columns of a walk in their order; the last is the identifier.
fn columns(walk: Walk) -> Vec<&'static str> {
    let place = match walk.within {
        Within::Table => None,
        Within::Parent => Some("parent"),
        Within::Org => Some("org"),
    };
    let field = match walk.field {
        OrderField::Uid => None,
        OrderField::Name => Some("name"),
        OrderField::CreatedAt => Some("created_at"),
    };
    place.into_iter().chain(field).chain(["uid"]).collect()
}

fn values(walk: Walk, key: &Key) -> impl Iterator<Item = Param<'_>> {
    let place = (walk.within != Within::Table).then(|| Param::from(&*key.place));
    let field = match &key.by {
        CursorKey::Uid => None,
        CursorKey::Name(name) => Some(Param::from(name.as_str())),
        CursorKey::Time(time) => Some(Param::from(*time)),
    };
    place.into_iter().chain(field).chain([Param::from(&*key.uid)])
}

fn key(walk: Walk, row: &Row<'_>) -> Result<Key> {
    let field = usize::from(walk.within != Within::Table);
    let place = if field == 0 { "" } else { row.text(0)? };
    let (by, uid) = match walk.field {
        OrderField::Uid => (CursorKey::Uid, field),
        OrderField::Name => (CursorKey::Name(row.string(field)?), field + 1),
        OrderField::CreatedAt => (CursorKey::Time(row.time(field)?), field + 1),
    };
    Ok(Key { place: place.into(), by, uid: row.text(uid)?.into() })
}
