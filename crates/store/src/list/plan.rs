//! Which index to walk.

use database::Index;
use domain::{OrderField, Result};

use super::{Stream, Term};
use crate::{Reader, counts, table::Entity};

/// A way through a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) index: Index<'static>,
    /// Whether the place is found by its root column, and the rest of its path is tested row by row.
    pub(super) by_org: bool,
    /// Whether it is a range of what the index has before the identifier, so that nothing is in order.
    pub(super) is_range: bool,
}

impl Plan {
    /// Along this index alone.
    pub(super) fn by(index: Index<'static>) -> Self {
        Self { index, by_org: false, is_range: false }
    }

    /// Whether the rows come in this order by themselves, where what is before it in the index is equal.
    pub(super) fn has_order(&self, field: OrderField) -> bool {
        match (self.index, field) {
            _ if self.is_range => false,
            (_, OrderField::Uid) => true,
            (Index::Primary(_), OrderField::Name | OrderField::CreatedAt) => false,
            (Index::Named(_, columns), OrderField::Name) => columns.ends_with("name"),
            (Index::Named(_, columns), OrderField::CreatedAt) => columns.ends_with("created_at"),
        }
    }
}

/// What looking up a row and sorting it costs, in steps of an index walk.
const ROW: u64 = 3;

/// The way through `E`'s table to the first `depth` rows of `stream` in that order.
pub(super) async fn plan<E: Entity>(
    reader: &mut Reader,
    stream: &Stream,
    order: OrderField,
    terms: &[Term],
    depth: usize,
) -> Result<Plan> {
    let table = E::declared().table;
    if let Some(plan) = terms.iter().find_map(|term| term.plan(table, stream, order)) {
        return Ok(plan);
    }
    let named = |columns| Plan::by(Index::Named(table, columns));
    let primary = Plan::by(Index::Primary(table));
    Ok(match (stream, order) {
        (Stream::One(_), _) | (Stream::All | Stream::Below(_) | Stream::ProperlyBelow(_), OrderField::Uid) => primary,
        (Stream::Children(_) | Stream::Roots, OrderField::Uid) => named("parent"),
        (Stream::Children(_) | Stream::Roots, OrderField::Name) => named("parent_name"),
        (Stream::Children(_) | Stream::Roots, OrderField::CreatedAt) => named("parent_created_at"),
        (Stream::All, OrderField::Name) => named("name"),
        (Stream::All, OrderField::CreatedAt) => named("created_at"),
        (Stream::Below(place) | Stream::ProperlyBelow(place), OrderField::Name | OrderField::CreatedAt) => {
            let columns = if order == OrderField::Name { "org_name" } else { "org_created_at" };
            // A small folder is sorted; in a large one, enough of the organization's rows are its own to walk past the others.
            let walks = place.is_root() || {
                let folder = counts::below(reader, E::declared().noun, place.as_str()).await?;
                let org = counts::below(reader, E::declared().noun, place.root_text()).await?;
                let depth = u64::try_from(depth).unwrap_or(u64::MAX);
                depth.saturating_mul(org) / folder.max(1) < folder.saturating_mul(ROW)
            };
            if walks { Plan { by_org: true, ..named(columns) } } else { primary }
        }
    })
}
