//! Reading the keys of an index: all of them when fences are made, one part when it has grown.

use std::sync::Arc;

use database::{Param, Row};
use domain::{Error, OrderField, Result};

use crate::{
    Reader,
    counts::placeholders,
    cursor::CursorKey,
    fences::{Fences, Key, Parents, Part, Tally, Walk, Within},
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
    let (uid, columns, by) = (columns.len() - 1, columns.join(", "), reader.walk(walk.index()));
    let (mut next, mut keys, mut numbers) = (None, 0, Vec::with_capacity(stride));
    for Stretch { condition, params } in stretches(walk, range) {
        let sql = format!("SELECT {columns} FROM {}{by}{condition} ORDER BY {columns} LIMIT {}", walk.table, stride + 1);
        let read = |row: &Row<'_>| {
            if keys < stride {
                keys += 1;
                numbers.extend(parents.of(row.text(uid)?));
            } else if next.is_none() {
                next = Some(key(walk, row)?);
            }
            Ok(())
        };
        reader.query_map(&sql, &params, read).await?;
        if next.is_some() {
            break;
        }
    }
    Ok((next, keys, Tally::of(numbers)))
}

/// The key behind so many others of the range.
async fn key_behind(reader: &mut Reader, walk: Walk, range: Range<'_>, mut keys: usize) -> Result<Option<Key>> {
    let (columns, by) = (columns(walk).join(", "), reader.walk(walk.index()));
    let mut stretches = stretches(walk, range).into_iter().peekable();
    while let Some(stretch) = stretches.next() {
        let Stretch { condition, params } = &stretch;
        let sql = format!("SELECT {columns} FROM {}{by}{condition} ORDER BY {columns} LIMIT 1 OFFSET {keys}", walk.table);
        let found = reader.query_one(&sql, params, |row| key(walk, row)).await?;
        if found.is_some() || stretches.peek().is_none() {
            return Ok(found);
        }
        // It has no more keys than were to be passed over.
        keys = keys.saturating_sub(count_of(reader, walk, &stretch).await?);
    }
    Ok(None)
}

async fn count(reader: &mut Reader, walk: Walk, range: Range<'_>) -> Result<usize> {
    let mut keys = 0;
    for stretch in stretches(walk, range) {
        keys += count_of(reader, walk, &stretch).await?;
    }
    Ok(keys)
}

async fn count_of(reader: &mut Reader, walk: Walk, Stretch { condition, params }: &Stretch<'_>) -> Result<usize> {
    let sql = format!("SELECT count(*) FROM {}{}{condition}", walk.table, reader.walk(walk.index()));
    let keys = reader.query_one(&sql, params, |row| row.int(0)).await?;
    usize::try_from(keys.unwrap_or_default()).map_err(Error::internal)
}

/// A column of a walk and a value in it.
type Bound<'a> = (&'static str, Param<'a>);

/// A part of a range that an index can walk through from its first key to its last and no farther.
#[derive(Debug, Default)]
struct Stretch<'a> {
    /// With ` WHERE ` before it, unless it is empty.
    condition: String,
    params: Vec<Param<'a>>,
}

impl<'a> Stretch<'a> {
    /// The same, of keys alone that compare like this with a row of values.
    fn and(mut self, how: &str, bounds: &[Bound<'a>]) -> Self {
        if !bounds.is_empty() {
            let joint = if self.params.is_empty() { " WHERE " } else { " AND " };
            let columns = bounds.iter().map(|(column, _)| *column).collect::<Vec<_>>().join(", ");
            let marks = placeholders(self.params.len() + 1, bounds.len());
            self.condition.extend([joint, "(", &columns, ") ", how, " (", &marks, ")"]);
            self.params.extend(bounds.iter().map(|(_, value)| value.clone()));
        }
        self
    }

    /// The same, of keys alone that have these values.
    fn equal(self, bounds: &[Bound<'a>]) -> Self {
        bounds.chunks(1).fold(self, |stretch, bound| stretch.and("=", bound))
    }
}

/// The range as stretches, in order; together they have all of its keys, each once.
///
/// A walk may begin at a comparison of rows, `(a, b) >= ($1, $2)`: every engine goes there at once. It may not end at one:
/// PostgreSQL 15 goes on to the end of the first column's value and tests every key on the way. So one column alone is compared
/// with the end, and those before it are equal: to what both ends have in common, then to ever more of the end.
fn stretches(walk: Walk, (from, to): Range<'_>) -> Vec<Stretch<'_>> {
    let low = from.map_or_else(Vec::new, |key| bounds(walk, key));
    let high = to.map_or_else(Vec::new, |key| bounds(walk, key));
    let common = low.iter().zip(&high).take_while(|(low, high)| low == high).count().min(low.len().saturating_sub(1));
    let (shared, begin) = low.split_at(common);
    let first = Stretch::default().equal(shared).and(">=", begin).and("<", high.get(common..=common).unwrap_or_default());
    let rest = (common + 1..high.len()).map(|equal| {
        let (shared, end) = high.split_at(equal);
        Stretch::default().equal(shared).and("<", end.get(..1).unwrap_or_default())
    });
    std::iter::once(first).chain(rest).collect()
}

/// The columns of a walk in their order; the last is the identifier.
fn columns(walk: Walk) -> Vec<&'static str> {
    let place = match walk.within {
        Within::Table => None,
        Within::Parent => Some("parent"),
        Within::Org => Some("org"),
    };
    let field = match walk.field {
        OrderField::Uid | OrderField::Own(_) => None,
        OrderField::Name => Some("name"),
        OrderField::CreatedAt => Some("created_at"),
    };
    place.into_iter().chain(field).chain(["uid"]).collect()
}

/// Where a key stands, column by column.
fn bounds(walk: Walk, key: &Key) -> Vec<Bound<'_>> {
    let place = (walk.within != Within::Table).then(|| Param::from(&*key.place));
    let field = match &key.by {
        CursorKey::Uid => None,
        CursorKey::Name(name) => Some(Param::from(name.as_str())),
        CursorKey::Time(time) => Some(Param::from(*time)),
    };
    let values = place.into_iter().chain(field).chain([Param::from(&*key.uid)]);
    columns(walk).into_iter().zip(values).collect()
}

fn key(walk: Walk, row: &Row<'_>) -> Result<Key> {
    let field = usize::from(walk.within != Within::Table);
    let place = if field == 0 { "" } else { row.text(0)? };
    let (by, uid) = match walk.field {
        OrderField::Uid | OrderField::Own(_) => (CursorKey::Uid, field),
        OrderField::Name => (CursorKey::Name(row.string(field)?), field + 1),
        OrderField::CreatedAt => (CursorKey::Time(row.time(field)?), field + 1),
    };
    Ok(Key { place: place.into(), by, uid: row.text(uid)?.into() })
}

#[cfg(test)]
mod tests;
