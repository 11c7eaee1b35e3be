//! The list engine: one for every noun. Scopes, filters, order and page go in; a page with an exact total comes out.
//!
//! Pages follow a keyset cursor (order key, uid), so they stay complete and free of repetitions while rows come and go.

mod filter;
mod find;
mod keys;
mod narrow;
mod plan;
mod scan;
mod selection;
mod skip;
mod sql;
mod totals;
mod way;

use std::{collections::HashMap, sync::Arc};

use domain::{
    Error, ListRequest, Order, OrderField, Result, Rule, Scopes, UidpFilter, error::Violation, list::page_token_refused,
};

pub(crate) use filter::Words;
pub use filter::{Filter, Term};
use keys::Keys;
use selection::{Selection, Stream, select};
use skip::Start;
use sql::Sql;

pub use crate::cursor::{Cursor, CursorKey};
use crate::{
    Reader,
    table::{Columns, Declared, Entity},
};

/// What to list.
#[derive(Clone, Debug)]
pub struct ListQuery<F> {
    /// Where the caller may look.
    pub scopes: Arc<Scopes>,
    /// Whether rows without a parent are visible wherever the caller may look: built-in roles.
    pub include_roots: bool,
    /// Which part of the tree is asked for.
    pub uidp: UidpFilter,
    /// In which order.
    pub order: Order,
    /// How many items at most.
    pub page_size: u32,
    /// How many items to pass over, counted from the cursor.
    pub skip: u32,
    /// The last item of the page before.
    pub cursor: Option<Cursor>,
    /// What the items must be.
    pub filter: F,
}

impl<F> ListQuery<F> {
    /// The query for a request; `cursor` is what its page token says.
    pub fn new(scopes: Arc<Scopes>, request: &ListRequest, cursor: Option<Cursor>, filter: F) -> Self {
        Self {
            scopes,
            include_roots: false,
            uidp: request.uidp.clone(),
            order: request.order,
            page_size: request.page_size,
            skip: request.skip,
            cursor,
            filter,
        }
    }
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<T> {
    /// The items in order.
    pub items: Vec<T>,
    /// The last item, when there are more after it.
    pub next: Option<Cursor>,
    /// How many items the whole list has.
    pub total: u64,
    /// How many items were passed over, as asked.
    pub skipped: u32,
}

/// Identifiers that one list may name.
const MAX_IDS: usize = 1000;
/// Rows read by one statement.
const CHUNK: usize = 256;
/// From how many streams on a list may take long.
const LONG_STREAMS: usize = 16;

/// A page of what the query asks for.
pub(crate) async fn page<F: Filter>(reader: &mut Reader, query: &ListQuery<F>) -> Result<Listed<F::Row>> {
    let declared = F::Row::declared();
    check(declared, query.order, query.cursor.as_ref(), &query.uidp)?;
    let selection = select(&query.scopes, query.include_roots, &query.uidp);
    let keys = Keys::new(declared, query.order, query.cursor.as_ref(), query.filter.terms());
    let want = query.page_size as usize + 1;
    reader.at_length(takes_long(&keys, &selection));
    let found = found::<F::Row>(reader, &keys, selection, query.skip as usize, query.page_size).await;
    reader.at_length(false);
    let (mut items, next, total) = found?;
    let more = items.len() == want;
    items.truncate(query.page_size as usize);
    let next = next.or_else(|| items.last().filter(|_| more).map(|item| item.cursor(query.order.field)));
    Ok(Listed { items, next, total, skipped: query.skip })
}

/// Whether any page of the list may have to walk through very many rows.
fn takes_long(keys: &Keys<'_>, selection: &Selection) -> bool {
    let many = matches!(selection, Selection::Streams(streams) if streams.len() > LONG_STREAMS);
    // Of those that have few indexes, many may be sorted.
    let sorts = match keys.order.field {
        OrderField::Own(column) => keys.declared.own_order(column).is_none_or(|order| order.indexes.is_none()),
        OrderField::Uid => false,
        OrderField::Name | OrderField::CreatedAt => keys.declared.is_few,
    };
    many || sorts || !keys.terms.is_empty()
}

/// Rows, where to go on if that is known, and the total.
type Found<E> = (Vec<E>, Option<Cursor>, u64);

async fn found<E: Entity>(
    reader: &mut Reader,
    keys: &Keys<'_>,
    selection: Selection,
    skip: usize,
    page_size: u32,
) -> Result<Found<E>> {
    let want = page_size as usize + 1;
    match selection {
        Selection::Uids(uids) => {
            let (found, total) = keys.among(reader, &uids, skip, want).await?;
            let (items, next) = rows_of(reader, found, page_size).await?;
            Ok((items, next, total))
        }
        Selection::Streams(streams) => {
            let totals = totals::totals(reader, keys, &streams).await?;
            let streams = narrow::narrowed(reader, keys, streams).await?;
            if let Some(items) = one_walk(reader, keys, &streams, skip, want).await? {
                return Ok((items, None, totals.all));
            }
            let found = keys.of(reader, &streams, &totals, skip, want).await?;
            let (items, next) = rows_of(reader, found, page_size).await?;
            Ok((items, next, totals.all))
        }
    }
}

/// The rows of a list of one stream, when it is known where they begin: one walk gives them without their keys.
async fn one_walk<E: Entity>(
    reader: &mut Reader,
    keys: &Keys<'_>,
    streams: &[Stream],
    skip: usize,
    want: usize,
) -> Result<Option<Vec<E>>> {
    let [stream] = streams else { return Ok(None) };
    if skip == 0 {
        return keys.rows(reader, stream, want).await.map(Some);
    }
    match skip::start(keys, reader, stream, skip).await? {
        Some(Start::At(row)) => keys.starting_at(&row).rows(reader, stream, want).await.map(Some),
        Some(Start::Behind) => Ok(Some(Vec::new())),
        None => Ok(None),
    }
}

/// Whether there are lists like that of the noun.
pub(crate) fn check(declared: &Declared, order: Order, cursor: Option<&Cursor>, uidp: &UidpFilter) -> Result<()> {
    if order.field == OrderField::Name && !declared.is_named() {
        let description = "order_by must be one of uid, created_at, each optionally followed by asc or desc".to_owned();
        return Err(Error::fields(Rule::OrderBy, vec![Violation { field: "order_by".to_owned(), description }]));
    }
    if let OrderField::Own(column) = order.field
        && declared.own_order(column).is_none()
    {
        return Err(Error::internal(format!("there are no lists of {}s by {column}", declared.noun.title())));
    }
    if uidp.ids.len() > MAX_IDS {
        return Err(Error::field("uidp.ids", format!("uidp.ids must have at most {MAX_IDS} entries")));
    }
    let fits = cursor.is_none_or(|cursor| match (&cursor.key, order.field) {
        (CursorKey::Uid, OrderField::Uid)
        | (CursorKey::Name(_), OrderField::Name)
        | (CursorKey::Time(_), OrderField::CreatedAt) => true,
        (key, OrderField::Own(column)) => {
            declared.own_order(column).is_some_and(|order| matches!(key, CursorKey::Name(_)) == order.is_text)
        }
        _ => false,
    });
    if fits { Ok(()) } else { Err(page_token_refused(Rule::PageTokenMismatch)) }
}

/// The rows of the keys, in their order, and where to go on when there are more keys than fit on the page.
async fn rows_of<E: Entity>(reader: &mut Reader, mut keys: Vec<Cursor>, page_size: u32) -> Result<(Vec<E>, Option<Cursor>)> {
    let more = keys.len() > page_size as usize;
    keys.truncate(page_size as usize);
    let mut rows = HashMap::with_capacity(keys.len());
    for chunk in keys.chunks(CHUNK) {
        let declared = E::declared();
        let mut sql = Sql::new(format!("SELECT {} FROM {} WHERE uid IN ", declared.statements().columns, declared.table));
        sql.among(chunk.iter().map(|key| &key.uid));
        for row in reader.query_map(&sql.text, &sql.params, |row| E::read(&mut Columns::of(row, 0))).await? {
            rows.insert(row.uid().clone(), row);
        }
    }
    let next = if more { keys.last().cloned() } else { None };
    Ok((keys.iter().filter_map(|key| rows.remove(&key.uid)).collect(), next))
}
