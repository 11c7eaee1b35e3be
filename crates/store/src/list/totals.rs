//! How many items a list has: by the counters where they know, by counting rows otherwise.

use std::collections::HashMap;

use domain::{OrderField, Result, Uidp};

use super::{CHUNK, Sql, Stream, keys::Keys, plan::plan, scan, skip};
use crate::{Reader, counts, table::Declared};

/// Streams that are counted one by one when a filter makes the counters useless; with more, one scan is cheaper.
const COUNTED_SINGLY: usize = 64;

/// How many rows a list has, whatever the cursor.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) all: u64,
    /// Those of its subtrees that have any, unless there is a filter.
    pub(super) below: HashMap<String, u64>,
}

/// Counts the rows of the whole list.
pub(super) async fn totals(reader: &mut Reader, keys: &Keys<'_>, streams: &[Stream]) -> Result<Totals> {
    if !keys.terms.is_empty() && streams.len() > COUNTED_SINGLY {
        return Ok(Totals { all: scan::count(keys, reader, streams).await?, below: HashMap::new() });
    }
    let mut all = 0;
    let mut subtrees = Vec::new();
    for stream in streams {
        match stream {
            Stream::Below(place) if keys.terms.is_empty() => subtrees.push(place),
            _ => all += rows(keys, reader, stream, false).await?,
        }
    }
    let below = below(keys.declared, reader, &subtrees).await?;
    Ok(Totals { all: all + below.values().sum::<u64>(), below })
}

/// How many rows of a subtree come after the cursor; `sizes` are what the counters say.
pub(super) async fn after_cursor(
    keys: &Keys<'_>,
    reader: &mut Reader,
    stream: &Stream,
    sizes: &HashMap<String, u64>,
) -> Result<u64> {
    match (stream, keys.cursor) {
        (Stream::Below(place), Some(cursor)) if place.contains(&cursor.uid) => match skip::left(keys, reader, stream).await? {
            Some(left) => Ok(left),
            None => rows(keys, reader, stream, true).await,
        },
        (Stream::Below(place), _) if keys.terms.is_empty() => Ok(sizes.get(place.as_str()).copied().unwrap_or(0)),
        _ => rows(keys, reader, stream, false).await,
    }
}

/// How many rows each of these subtrees has, as far as it has any, filters apart.
async fn below(declared: &'static Declared, reader: &mut Reader, places: &[&Uidp]) -> Result<HashMap<String, u64>> {
    let prefixes: Vec<_> = places.iter().map(|place| place.as_str()).collect();
    let mut sizes: HashMap<_, _> = counts::below_each(reader, declared.noun, &prefixes).await?.into_iter().collect();
    // Groups count themselves; other nouns may be named as the top of their own subtree.
    if !declared.counts_itself {
        for chunk in places.chunks(CHUNK) {
            let mut sql = Sql::new(format!("SELECT uid FROM {} WHERE uid IN ", declared.table));
            sql.among(chunk.iter().copied());
            for uid in reader.query_map(&sql.text, &sql.params, |row| row.string(0)).await? {
                *sizes.entry(uid).or_default() += 1;
            }
        }
    }
    Ok(sizes)
}

async fn rows(keys: &Keys<'_>, reader: &mut Reader, stream: &Stream, from_cursor: bool) -> Result<u64> {
    if keys.terms.is_empty() && !from_cursor {
        match stream {
            Stream::All => return counts::below(reader, keys.declared.noun, Uidp::ROOT).await,
            Stream::Roots => return counts::children(reader, keys.declared.noun, Uidp::ROOT).await,
            Stream::Children(parent) => return counts::children(reader, keys.declared.noun, parent.as_str()).await,
            // A group counts itself.
            Stream::ProperlyBelow(place) if !keys.declared.counts_itself => {
                return counts::below(reader, keys.declared.noun, place.as_str()).await;
            }
            Stream::Below(_) | Stream::ProperlyBelow(_) | Stream::One(_) => {}
        }
    }
    // The order does not matter for counting, so the narrowest index wins.
    let plan = plan(keys.declared, reader, stream, OrderField::Uid, &keys.terms, 0).await?;
    let mut sql = keys.select(reader, "count(*)", plan);
    if from_cursor {
        keys.conditions(&mut sql, stream, plan);
    } else {
        Keys::place(&mut sql, stream, plan);
        keys.terms(&mut sql);
    }
    let rows = reader.query_one(&sql.text, &sql.params, |row| row.int(0)).await?;
    Ok(rows.and_then(|rows| u64::try_from(rows).ok()).unwrap_or(0))
}
