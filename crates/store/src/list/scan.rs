//! The way for lists over so many places that one walk through the whole table, testing each key, is cheapest.

use std::ops::ControlFlow;

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
    let places = Places::of(streams);
    let plan = plan::<E>(reader, &Stream::All, keys.order.field, &keys.terms, 0).await?;
    let mut sql = Keys::<E>::select(reader, keys.key_columns(), plan);
    keys.conditions(&mut sql, &Stream::All, plan);
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
    let places = Places::of(streams);
    let plan = plan::<E>(reader, &Stream::All, domain::OrderField::Uid, &keys.terms, 0).await?;
    let mut sql = Keys::<E>::select(reader, "uid", plan);
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

/// Streams, ready for quick tests.
struct Places<'a> {
    all: bool,
    roots: bool,
    one: Option<&'a str>,
    parent: Option<&'a str>,
    /// In byte order, none inside another.
    subtrees: Vec<&'a str>,
}

impl<'a> Places<'a> {
    fn of(streams: &'a [Stream]) -> Self {
        let mut places = Self { all: false, roots: false, one: None, parent: None, subtrees: Vec::new() };
        for stream in streams {
            match stream {
                Stream::All => places.all = true,
                Stream::Roots => places.roots = true,
                Stream::One(uid) => places.one = Some(uid.as_str()),
                Stream::Children(parent) => places.parent = Some(parent.as_str()),
                // What is excluded at the top of a subtree has no parent, and the roots are listed beside it.
                Stream::Below(place) | Stream::ProperlyBelow(place) => places.subtrees.push(place.as_str()),
            }
        }
        places
    }

    fn contain(&self, uid: &str) -> bool {
        let parent = uid.rsplit_once('/').map(|(parent, _)| parent);
        let inside = |place: &&str| uid.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.all
            || (self.roots && uid.len() == Uidp::ROOT_LEN)
            || self.one == Some(uid)
            || (parent.is_some() && self.parent == parent)
            || self.subtrees.get(..self.subtrees.partition_point(|place| *place <= uid)).and_then(<[_]>::last).is_some_and(inside)
    }
}
