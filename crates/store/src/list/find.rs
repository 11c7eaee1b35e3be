//! Which way to the keys of a page takes the least time.

use std::collections::HashMap;

use domain::{OrderField, Result};

use super::{
    Cursor, LONG_STREAMS, Stream, Term,
    keys::Keys,
    scan,
    skip::{self, Range, Start},
    totals::{self, Totals},
};
use crate::{Reader, ranks};

/// Keys that a merge of several streams may read; with more, one scan of the whole order is cheaper.
const MERGE: usize = 50_000;

impl Keys<'_> {
    /// The first `want` keys of all streams after the cursor and `skip` more.
    pub(super) async fn of(
        &self,
        reader: &mut Reader,
        streams: &[Stream],
        totals: &Totals,
        skip: usize,
        want: usize,
    ) -> Result<Vec<Cursor>> {
        let subtrees = streams.iter().all(|stream| matches!(stream, Stream::Below(_)));
        match streams {
            [] => return Ok(Vec::new()),
            [stream] => {
                // Among what is beside it, if its order is not that of identifiers.
                if Range::of(self.declared, stream, self.order.field).is_none()
                    && ranks::is_far(reader, skip)
                    && let Some(keys) = scan::by_ranks(self, reader, streams, totals.all, skip, want).await?
                {
                    return Ok(keys);
                }
                return self.stream(reader, stream, skip, want).await;
            }
            _ if subtrees && self.order.field == OrderField::Uid && !self.is_found_by_term() => {
                return self.in_sequence(reader, streams, &totals.below, skip, want).await;
            }
            _ => {}
        }
        let merges = streams.len().saturating_mul(skip + want) <= MERGE;
        // Few rows of few streams are merged in less time.
        if !(merges && streams.len() <= LONG_STREAMS)
            && let Some(keys) = scan::by_ranks(self, reader, streams, totals.all, skip, want).await?
        {
            return Ok(keys);
        }
        if merges { self.merged(reader, streams, skip, want).await } else { scan::keys(self, reader, streams, skip, want).await }
    }

    async fn stream(&self, reader: &mut Reader, stream: &Stream, skip: usize, want: usize) -> Result<Vec<Cursor>> {
        match skip::start(self, reader, stream, skip).await? {
            Some(Start::At(row)) => self.starting_at(&row).walked(reader, stream, 0, want).await,
            Some(Start::Behind) => Ok(Vec::new()),
            None => self.walked(reader, stream, skip, want).await,
        }
    }

    /// Whether the rows of all streams are found together, by the index of a condition.
    fn is_found_by_term(&self) -> bool {
        self.terms.iter().any(Term::finds)
    }

    /// Subtrees in byte order are one after the other in the order of identifiers.
    async fn in_sequence(
        &self,
        reader: &mut Reader,
        streams: &[Stream],
        sizes: &HashMap<String, u64>,
        mut skip: usize,
        want: usize,
    ) -> Result<Vec<Cursor>> {
        let mut keys = Vec::new();
        let mut in_order: Vec<_> = streams.iter().collect();
        if self.order.descending {
            in_order.reverse();
        }
        for stream in in_order {
            if self.is_passed(stream) {
                continue;
            }
            if skip > 0 {
                let rows = totals::after_cursor(self, reader, stream, sizes).await?;
                if rows <= skip as u64 {
                    skip -= usize::try_from(rows).unwrap_or(skip);
                    continue;
                }
            }
            keys.extend(self.stream(reader, stream, skip, want - keys.len()).await?);
            skip = 0;
            if keys.len() == want {
                break;
            }
        }
        Ok(keys)
    }

    async fn merged(&self, reader: &mut Reader, streams: &[Stream], skip: usize, want: usize) -> Result<Vec<Cursor>> {
        let mut keys = Vec::new();
        for stream in streams {
            keys.extend(self.stream(reader, stream, 0, skip + want).await?);
        }
        self.sort(&mut keys);
        Ok(keys.into_iter().skip(skip).take(want).collect())
    }

    /// Whether the whole subtree comes before the cursor in the order of identifiers.
    fn is_passed(&self, stream: &Stream) -> bool {
        match (self.cursor, stream) {
            (Some(cursor), Stream::Below(place)) => {
                !place.contains(&cursor.uid) && (*place < cursor.uid) != self.order.descending
            }
            _ => false,
        }
    }
}
