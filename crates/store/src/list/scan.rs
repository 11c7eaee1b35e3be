//! The way for lists over so many places that one walk through the whole table, testing each key, is cheapest.

use std::{
    collections::HashSet,
    hash::{BuildHasherDefault, Hasher},
    ops::ControlFlow,
};

use domain::{Result, Uidp};

use super::{Cursor, Entity, Stream, keys::Keys, plan::plan};
use crate::Reader;

/// The first `want` keys after the cursor and `skip` more.
pub(super) async fn keys<E: Entity>(
    keys: &Keys<'_, E>,
    reader: &mut Reader,
    streams: &[Stream],
    skip: usize,
    want: usize,
) -> Result<Vec<Cursor>> {
    let (mut found, mut left) = (Vec::with_capacity(want), skip);
    let (around, places) = (around(streams), Places::of(streams));
    let plan = plan::<E>(reader, &around, keys.order.field, &keys.terms, 0).await?;
    let mut sql = Keys::<E>::select(reader, keys.key_columns(), plan);
    keys.conditions(&mut sql, &around, plan);
    keys.order(&mut sql);
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

/// How many rows fulfil the filter's terms in these places.
pub(super) async fn count<E: Entity>(keys: &Keys<'_, E>, reader: &mut Reader, streams: &[Stream]) -> Result<u64> {
    let (around, places) = (around(streams), Places::of(streams));
    let plan = plan::<E>(reader, &around, domain::OrderField::Uid, &keys.terms, 0).await?;
    let mut sql = Keys::<E>::select(reader, "uid", plan);
    Keys::<E>::place(&mut sql, &around, plan);
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
    parent: Option<&'a str>,
    subtrees: HashSet<&'a str, BuildHasherDefault<Tail>>,
    /// The lengths of the subtrees' places, each once.
    lengths: Vec<usize>,
}

impl<'a> Places<'a> {
    fn of(streams: &'a [Stream]) -> Self {
        let mut places =
            Self { all: false, roots: false, one: None, parent: None, subtrees: HashSet::default(), lengths: Vec::new() };
        for stream in streams {
            match stream {
                Stream::All => places.all = true,
                Stream::Roots => places.roots = true,
                Stream::One(uid) => places.one = Some(uid.as_str()),
                Stream::Children(parent) => places.parent = Some(parent.as_str()),
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
        let inside = |length: &usize| match (uid.get(..*length), uid.as_bytes().get(*length)) {
            (Some(above), None | Some(b'/')) => self.subtrees.contains(above),
            _ => false,
        };
        self.all
            || (self.roots && uid.len() == Uidp::ROOT_LEN)
            || self.one == Some(uid)
            || self.parent.is_some_and(|parent| uid.rsplit_once('/').is_some_and(|(above, _)| above == parent))
            || self.lengths.iter().any(inside)
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
