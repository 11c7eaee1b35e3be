//! How many rows come before a place in an order: what pages far behind the first are found with.
//!
//! The counters tell how many rows are below a place, not which of them is the millionth. For an order that an index of the
//! database walks through, [`Fences`] keep one key in some hundred and how many keys lie between it and the next, so that
//! passing over any number of rows adds up numbers in memory and walks through a few hundred keys at most. They hold as of a
//! commit; a reader with a later snapshot reads in the feed what has moved since and corrects its own copy. [`follow`] makes
//! them when the store opens and moves them forward.

mod correct;
mod follow;
mod moves;
mod scan;

use domain::{OrderField, Result};

pub(crate) use follow::Follower;

use crate::{
    Reader,
    fences::{Fences, InPlaces, Walk, Within},
    table::Nouns,
};

/// What the walks of a table are, the most wanted first. By identifier an organization is a part of its table.
const WALKS: [(Within, OrderField); 8] = [
    (Within::Table, OrderField::Uid),
    (Within::Parent, OrderField::Uid),
    (Within::Org, OrderField::Name),
    (Within::Org, OrderField::CreatedAt),
    (Within::Parent, OrderField::Name),
    (Within::Parent, OrderField::CreatedAt),
    (Within::Table, OrderField::Name),
    (Within::Table, OrderField::CreatedAt),
];

/// Every walk of every table, in the order in which they are made.
pub(crate) fn walks(nouns: Nouns) -> Vec<Walk> {
    WALKS.into_iter().flat_map(move |(within, field)| nouns.all().filter_map(move |noun| noun.walk(within, field))).collect()
}

/// Whether passing over so many rows is worth a look at all of them in ranks, where those are not all one after the other.
pub(crate) fn is_far(reader: &Reader, rows: usize) -> bool {
    reader.ranks().is_some_and(|ranks| rows > 4 * ranks.stride())
}

/// The fences of a walk in the reader's snapshot, where there are any and passing over so many rows is worth them.
pub(crate) async fn fences(reader: &mut Reader, walk: Walk, rows: usize) -> Result<Option<Fences>> {
    match reader.ranks().filter(|ranks| rows > ranks.stride()) {
        Some(ranks) => {
            let fences = correct::fences(reader, &ranks, walk, None).await?;
            ranks.used(fences.is_some());
            Ok(fences)
        }
        None => Ok(None),
    }
}

/// The same with the numbers of the keys whose parents are in the places, however few rows are passed over.
pub(crate) async fn fences_within(reader: &mut Reader, walk: Walk, places: InPlaces<'_>, rows: usize) -> Result<Option<Fences>> {
    let Some(ranks) = reader.ranks() else { return Ok(None) };
    let fences = correct::fences(reader, &ranks, walk, Some(places)).await?;
    if rows > ranks.stride() {
        ranks.used(fences.is_some());
    }
    Ok(fences)
}
