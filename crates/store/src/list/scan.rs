//! The way for lists over many places, in an order that mixes their rows: one walk through all that is around them, which tests
//! each key. Ranks tell which parts of it have to be read.

use std::{
    collections::HashSet,
    hash::{BuildHasherDefault, Hasher},
    ops::ControlFlow,
};

use domain::{Result, Uidp};

use super::{
    Cursor, Stream,
    keys::Keys,
    plan::plan,
    skip::{Range, bound},
};
use crate::{Reader, fences::Fences, ranks};

/// The first `want` keys after the cursor and `skip` more.
pub(super) async fn keys(
    keys: &Keys<'_>,
    reader: &mut Reader,
    streams: &[Stream],
    skip: usize,
    want: usize,
) -> Result<Vec<Cursor>> {
    let (mut found, mut left) = (Vec::with_capacity(want), skip);
    let (around, places) = (around(streams), Places::of(streams));
    let plan = plan(keys.declared, reader, &around, keys.order.field, &keys.terms, 0).await?;
    let mut sql = keys.select(reader, &keys.key_columns(), plan);
    keys.conditions(&mut sql, &around, plan);
    keys.order(&mut sql, plan);
    reader
        .query_while(&sql.text, &sql.params, |row| {
            if places.contain(row.text(0)?) {
                if left > 0 {
                    left -= 1;
                } else {
                    found.push(keys.read(row)?);
                }
            }
            Ok(if found.len() == want { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })
        .await?;
    Ok(found)
}

/// The same by ranks: how many rows of the places lie between fences is a sum, so only what the page lies between is read.
/// `None` when there are no ranks for that, or not for every row: `total` is how many rows the list has.
pub(super) async fn by_ranks(
    keys: &Keys<'_>,
    reader: &mut Reader,
    streams: &[Stream],
    total: u64,
    skip: usize,
    want: usize,
) -> Result<Option<Vec<Cursor>>> {
    let (around, places) = (around(streams), Places::of(streams));
    let range = Range::of(keys.declared, &around, keys.order.field).filter(|_| keys.terms.is_empty());
    let Some(range) = range else { return Ok(None) };
    let fences = ranks::fences_within(reader, range.walk, &|parent| places.have_children_of(parent), skip).await?;
    let Some(mut fences) = fences else { return Ok(None) };
    if fences.len() != total {
        for key in named(keys, reader, streams).await? {
            fences.add(&range.key(&key));
        }
    }
    if fences.len() != total {
        return Ok(None);
    }
    let cursor = keys.cursor.map(|cursor| fences.part(&range.key(cursor)));
    let (first, last) = if keys.order.descending { (0, cursor) } else { (cursor.unwrap_or(0), None) };
    let mut parts: Vec<_> = (first..=last.unwrap_or(fences.parts() - 1)).collect();
    if keys.order.descending {
        parts.reverse();
    }
    let (mut found, mut left) = (Vec::with_capacity(want), skip);
    for part in parts {
        let rows = fences.count_of(part).map_or(0, |rows| rows as usize);
        // Of the part that the cursor is in it is not known how many rows come after it.
        if cursor != Some(part) && rows <= left {
            left -= rows;
            continue;
        }
        let inside = between(keys, reader, &around, &range, &fences, part, cursor == Some(part)).await?;
        let inside = inside.into_iter().filter(|key| places.contain(key.uid.as_str()));
        for key in inside {
            if left > 0 {
                left -= 1;
            } else if found.len() < want {
                found.push(key);
            }
        }
        if found.len() == want {
            break;
        }
    }
    Ok(Some(found))
}

/// The rows that are named themselves, and not by what they are below.
async fn named(keys: &Keys<'_>, reader: &mut Reader, streams: &[Stream]) -> Result<Vec<Cursor>> {
    let itself = |stream: &Stream| match stream {
        Stream::Below(uid) | Stream::One(uid) => Some(uid.clone()),
        Stream::All | Stream::Roots | Stream::Children(_) | Stream::ProperlyBelow(_) => None,
    };
    let uids: Vec<_> = streams.iter().filter_map(itself).collect();
    let (named, _) = Keys::new(keys.declared, keys.order, None, Vec::new()).among(reader, &uids, 0, usize::MAX).await?;
    Ok(named)
}

/// The keys of a part of a walk, or those of them that are after the cursor.
async fn between(
    keys: &Keys<'_>,
    reader: &mut Reader,
    around: &Stream,
    range: &Range,
    fences: &Fences,
    part: usize,
    from_cursor: bool,
) -> Result<Vec<Cursor>> {
    let low = fences.first(part).filter(|first| **first > range.begin).map(|first| bound(">=", first));
    let high = fences.first(part + 1).filter(|next| **next < range.end).map(|next| bound("<", next));
    let cursor = keys.after_cursor().filter(|_| from_cursor);
    let bounds = match (cursor, keys.order.descending) {
        (Some(cursor), false) => [Some(cursor), high],
        (Some(cursor), true) => [low, Some(cursor)],
        (None, _) => [low, high],
    };
    let plan = plan(keys.declared, reader, around, keys.order.field, &[], 0).await?;
    let mut sql = keys.select(reader, &keys.key_columns(), plan);
    keys.between(&mut sql, around, plan, bounds.into_iter().flatten());
    keys.order(&mut sql, plan);
    reader.query_map(&sql.text, &sql.params, |row| keys.read(row)).await
}

/// How many rows fulfil the filter's terms in these places.
pub(super) async fn count(keys: &Keys<'_>, reader: &mut Reader, streams: &[Stream]) -> Result<u64> {
    let (around, places) = (around(streams), Places::of(streams));
    let plan = plan(keys.declared, reader, &around, domain::OrderField::Uid, &keys.terms, 0).await?;
    let mut sql = keys.select(reader, "uid", plan);
    Keys::place(&mut sql, &around, plan);
    keys.terms(&mut sql);
    let mut rows = 0;
    reader
        .query_while(&sql.text, &sql.params, |row| {
            rows += u64::from(places.contain(row.text(0)?));
            Ok(ControlFlow::Continue(()))
        })
        .await?;
    Ok(rows)
}

/// The smallest stream that holds all of these: their organization when they have one in common.
fn around(streams: &[Stream]) -> Stream {
    let root = |stream: &Stream| match stream {
        Stream::All | Stream::Roots => None,
        Stream::Below(at) | Stream::ProperlyBelow(at) | Stream::Children(at) | Stream::One(at) => Some(at.root()),
    };
    let mut roots = streams.iter().map(root);
    let first = roots.next().flatten();
    first.filter(|first| roots.all(|root| root.as_ref() == Some(first))).map_or(Stream::All, Stream::Below)
}

/// Streams, ready for quick tests.
struct Places<'a> {
    all: bool,
    roots: bool,
    one: Option<&'a str>,
    parents: HashSet<&'a str, BuildHasherDefault<Tail>>,
    subtrees: HashSet<&'a str, BuildHasherDefault<Tail>>,
    /// The lengths of the subtrees' places, each once.
    lengths: Vec<usize>,
}

impl<'a> Places<'a> {
    fn of(streams: &'a [Stream]) -> Self {
        let (parents, subtrees) = (HashSet::default(), HashSet::default());
        let mut places = Self { all: false, roots: false, one: None, parents, subtrees, lengths: Vec::new() };
        for stream in streams {
            match stream {
                Stream::All => places.all = true,
                Stream::Roots => places.roots = true,
                Stream::One(uid) => places.one = Some(uid.as_str()),
                Stream::Children(parent) => {
                    places.parents.insert(parent.as_str());
                }
                // What is excluded at the top of a subtree has no parent, and the roots are listed beside it.
                Stream::Below(place) | Stream::ProperlyBelow(place) => {
                    places.subtrees.insert(place.as_str());
                    places.lengths.push(place.as_str().len());
                }
            }
        }
        places.lengths.sort_unstable();
        places.lengths.dedup();
        places
    }

    fn contain(&self, uid: &str) -> bool {
        self.all
            || (self.roots && uid.len() == Uidp::ROOT_LEN)
            || self.one == Some(uid)
            || (!self.parents.is_empty() && uid.rsplit_once('/').is_some_and(|(above, _)| self.parents.contains(above)))
            || self.subtrees_contain(uid)
    }

    /// Whether they contain whatever has this parent.
    fn have_children_of(&self, parent: &str) -> bool {
        self.all || (self.roots && parent == Uidp::ROOT) || self.parents.contains(parent) || self.subtrees_contain(parent)
    }

    fn subtrees_contain(&self, uid: &str) -> bool {
        self.lengths.iter().any(|length| match (uid.get(..*length), uid.as_bytes().get(*length)) {
            (Some(above), None | Some(b'/')) => self.subtrees.contains(above),
            _ => false,
        })
    }
}

/// Hashes an identifier by its last 16 bytes: they differ between places, and a test is made for every row of a table.
#[derive(Default)]
struct Tail(u64);

impl Hasher for Tail {
    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.rchunks(8).take(2) {
            let word = word.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
            self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    fn finish(&self) -> u64 {
        // The table takes its place from the low bits, which the product has mixed least.
        self.0 ^ (self.0 >> 32)
    }
}
