//! Where a page begins that is far behind the cursor, and how many rows are behind it: by adding up the ranks in memory instead of
//! walking.

use domain::{OrderField, Result, Uidp};

use super::{
    Cursor, Stream,
    keys::{Bound, Keys},
    plan::plan,
};
use crate::{
    Reader,
    fences::{Fences, Key, Walk, Within},
    ranks,
    table::Declared,
};

/// Where a page begins.
#[derive(Debug)]
pub(super) enum Start {
    /// With this row.
    At(Cursor),
    /// Behind the last row: it has none.
    Behind,
}

/// Where the page begins that passes over `skip` rows of the stream after the cursor. `None` when there are no ranks for
/// that: the skip is short, a filter makes them useless, or they are still being made.
pub(super) async fn start(keys: &Keys<'_>, reader: &mut Reader, stream: &Stream, skip: usize) -> Result<Option<Start>> {
    let Some(search) = Search::of(keys, reader, stream, skip).await? else { return Ok(None) };
    let row = if keys.order.descending { search.backward(reader, skip).await } else { search.forward(reader, skip).await };
    Ok(Some(row?.map_or(Start::Behind, Start::At)))
}

/// How many rows of the stream come after the cursor. `None` when there are no ranks for that.
pub(super) async fn left(keys: &Keys<'_>, reader: &mut Reader, stream: &Stream) -> Result<Option<u64>> {
    let Some(search) = Search::of(keys, reader, stream, usize::MAX).await? else { return Ok(None) };
    let left = if keys.order.descending { search.left_backward(reader).await } else { search.left_forward(reader).await };
    left.map(Some)
}

/// The part of a walk that a stream is.
pub(super) struct Range {
    pub(super) walk: Walk,
    /// Before its first row, and behind its last.
    pub(super) begin: Key,
    pub(super) end: Key,
}

impl Range {
    /// `None` for a stream that is no part of any walk.
    pub(super) fn of(declared: &'static Declared, stream: &Stream, field: OrderField) -> Option<Self> {
        let at = |within, place: &str| {
            Some(Self { walk: declared.walk(within, field)?, begin: Key::before(place), end: Key::behind(place) })
        };
        match (stream, field) {
            (Stream::All, _) => at(Within::Table, ""),
            (Stream::Children(parent), _) => at(Within::Parent, parent.as_str()),
            (Stream::Roots, _) => at(Within::Parent, Uidp::ROOT),
            (Stream::Below(place), OrderField::Uid) => {
                let key = |uid: &str| Key { uid: uid.into(), ..Key::least() };
                // As in the condition for a subtree: `/` is the byte before `0`.
                Some(Self {
                    walk: declared.walk(Within::Table, field)?,
                    begin: key(place.as_str()),
                    end: key(&format!("{place}0")),
                })
            }
            (Stream::Below(place), _) if place.is_root() => at(Within::Org, place.as_str()),
            (Stream::Below(_) | Stream::ProperlyBelow(_) | Stream::One(_), _) => None,
        }
    }

    /// The place of a cursor in the walk.
    pub(super) fn key(&self, cursor: &Cursor) -> Key {
        let uid = cursor.uid.as_str().into();
        Key { place: self.begin.place.clone(), by: cursor.key.clone(), uid }
    }
}

/// A search for the row behind so many others.
struct Search<'s, 'k> {
    keys: &'s Keys<'k>,
    stream: &'s Stream,
    range: Range,
    fences: Fences,
}

impl<'s, 'k> Search<'s, 'k> {
    /// `None` when there are no ranks to pass over so many rows, or a filter makes them useless.
    async fn of(keys: &'s Keys<'k>, reader: &mut Reader, stream: &'s Stream, skip: usize) -> Result<Option<Self>> {
        let range = Range::of(keys.declared, stream, keys.order.field).filter(|_| keys.terms.is_empty());
        let Some(range) = range else { return Ok(None) };
        let fences = ranks::fences(reader, range.walk, skip).await?;
        Ok(fences.map(|fences| Self { keys, stream, range, fences }))
    }

    /// The part that the cursor is in, or else the one that the walk begins in.
    fn first_part(&self) -> usize {
        let begin = &self.range.begin;
        let from = self.keys.cursor.map_or_else(|| begin.clone(), |cursor| self.range.key(cursor).max(begin.clone()));
        self.fences.part(&from)
    }

    /// The same of a walk backwards.
    fn last_part(&self) -> usize {
        let end = &self.range.end;
        let from = self.keys.cursor.map_or_else(|| end.clone(), |cursor| self.range.key(cursor).min(end.clone()));
        self.fences.part(&from)
    }

    async fn forward(&self, reader: &mut Reader, skip: usize) -> Result<Option<Cursor>> {
        let (end, part) = (&self.range.end, self.first_part());
        let next = self.fences.first(part + 1).filter(|next| *next < end);
        let here = self.after_cursor(reader, next.map(|next| bound("<", next))).await?;
        let Some(beyond) = (skip as u64).checked_sub(here) else { return self.row(reader, None, skip as u64).await };
        let Some((part, left)) = self.fences.forward(part + 1, beyond) else { return Ok(None) };
        match self.fences.first(part) {
            Some(first) if next.is_some() && first < end => self.row(reader, Some(bound(">=", first)), left).await,
            _ => Ok(None),
        }
    }

    async fn backward(&self, reader: &mut Reader, skip: usize) -> Result<Option<Cursor>> {
        let (begin, part) = (&self.range.begin, self.last_part());
        let first = self.fences.first(part).filter(|first| *first > begin);
        let here = self.after_cursor(reader, first.map(|first| bound(">=", first))).await?;
        let Some(beyond) = (skip as u64).checked_sub(here) else { return self.row(reader, None, skip as u64).await };
        let Some((part, left)) = self.fences.backward(part, beyond) else { return Ok(None) };
        match self.fences.first(part + 1) {
            Some(next) if first.is_some() && next > begin => self.row(reader, Some(bound("<", next)), left).await,
            _ => Ok(None),
        }
    }

    async fn left_forward(&self, reader: &mut Reader) -> Result<u64> {
        let (part, last) = (self.first_part(), self.fences.part(&self.range.end));
        let (Some(next), Some(edge), true) = (self.fences.first(part + 1), self.fences.first(last), part < last) else {
            return self.after_cursor(reader, None).await;
        };
        let here = self.after_cursor(reader, Some(bound("<", next))).await?;
        let there = self.count(reader, [bound(">=", edge)]).await?;
        Ok(here + self.fences.between(part + 1, last) + there)
    }

    async fn left_backward(&self, reader: &mut Reader) -> Result<u64> {
        let (first, part) = (self.fences.part(&self.range.begin), self.last_part());
        let (Some(edge), Some(own), true) = (self.fences.first(first + 1), self.fences.first(part), first < part) else {
            return self.after_cursor(reader, None).await;
        };
        let here = self.after_cursor(reader, Some(bound(">=", own))).await?;
        let there = self.count(reader, [bound("<", edge)]).await?;
        Ok(here + self.fences.between(first + 1, part) + there)
    }

    /// How many rows of the stream are after the cursor and on that side of a fence: less than two strides.
    async fn after_cursor<'b>(&'b self, reader: &mut Reader, fence: Option<Bound<'b>>) -> Result<u64> {
        self.count(reader, self.keys.after_cursor().into_iter().chain(fence)).await
    }

    /// How many rows of the stream are within the bounds, which lie close together.
    async fn count<'b>(&'b self, reader: &mut Reader, bounds: impl IntoIterator<Item = Bound<'b>>) -> Result<u64> {
        let plan = plan(self.keys.declared, reader, self.stream, self.keys.order.field, &[], 0).await?;
        let mut sql = self.keys.select(reader, "count(*)", plan);
        self.keys.between(&mut sql, self.stream, plan, bounds);
        let rows = reader.query_one(&sql.text, &sql.params, |row| row.int(0)).await?;
        Ok(rows.and_then(|rows| u64::try_from(rows).ok()).unwrap_or(0))
    }

    /// The row behind `skip` others, counted from a fence, or from the cursor.
    async fn row(&self, reader: &mut Reader, fence: Option<Bound<'_>>, skip: u64) -> Result<Option<Cursor>> {
        let plan = plan(self.keys.declared, reader, self.stream, self.keys.order.field, &[], 0).await?;
        let mut sql = self.keys.select(reader, &self.keys.key_columns(), plan);
        self.keys.between(&mut sql, self.stream, plan, fence.or_else(|| self.keys.after_cursor()));
        self.keys.order_and_limit(&mut sql, plan, 1, usize::try_from(skip).unwrap_or(usize::MAX));
        reader.query_one(&sql.text, &sql.params, |row| self.keys.read(row)).await
    }
}

/// Only what compares like this with a fence.
pub(super) fn bound<'a>(how: &'static str, fence: &'a Key) -> Bound<'a> {
    Bound { how, key: &fence.by, uid: &fence.uid }
}
