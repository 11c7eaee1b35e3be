//! Which index to walk.

use database::Index;
use domain::{OrderField, Result};

use super::{Stream, Term, way::Way};
use crate::{Reader, counts, table::Declared};

/// What looking up a row and sorting it costs, in steps of an index walk.
const ROW: u64 = 3;

/// The way through a noun's table to the first `depth` rows of `stream` in that order.
pub(super) async fn plan(
    declared: &'static Declared,
    reader: &mut Reader,
    stream: &Stream,
    order: OrderField,
    terms: &[Term],
    depth: usize,
) -> Result<Way> {
    let table = declared.table;
    if let Some(plan) = terms.iter().find_map(|term| term.plan(table, stream, order)) {
        return Ok(plan);
    }
    let named = |columns| Way::by(Index::Named(table, columns));
    let primary = Way::by(Index::Primary(table));
    let few = declared.is_few;
    let own = match order {
        OrderField::Own(column) => declared.own_order(column).and_then(|order| order.indexes),
        OrderField::Uid | OrderField::Name | OrderField::CreatedAt => None,
    };
    Ok(match (stream, order) {
        (Stream::One(_), _) | (Stream::All | Stream::Below(_) | Stream::ProperlyBelow(_), OrderField::Uid) => primary,
        (Stream::Children(_) | Stream::Roots, OrderField::Uid) => named("parent"),
        // What has no index is sorted.
        (Stream::Children(_) | Stream::Roots, OrderField::Own(_)) => named(own.map_or("parent", |own| own.parent)),
        (Stream::All, OrderField::Own(_)) => own.map_or(primary, |own| named(own.table)),
        (Stream::Below(_) | Stream::ProperlyBelow(_), OrderField::Own(_)) if own.is_none() => primary,
        (Stream::Children(_) | Stream::Roots, _) if few => named("parent"),
        (Stream::All, _) | (Stream::Below(_) | Stream::ProperlyBelow(_), OrderField::Name) if few => primary,
        (Stream::Children(_) | Stream::Roots, OrderField::Name) => named("parent_name"),
        (Stream::Children(_) | Stream::Roots, OrderField::CreatedAt) => named("parent_created_at"),
        (Stream::All, OrderField::Name) => named("name"),
        (Stream::All, OrderField::CreatedAt) => named("created_at"),
        (Stream::Below(place) | Stream::ProperlyBelow(place), _) => {
            let columns = match own {
                Some(own) => own.org,
                None if order == OrderField::Name => "org_name",
                None => "org_created_at",
            };
            // A small folder is sorted; in a large one, enough of the organization's rows are its own to walk past the others.
            let walks = place.is_root() || {
                let folder = counts::below(reader, declared.noun, place.as_str()).await?;
                let org = counts::below(reader, declared.noun, place.root_text()).await?;
                let depth = u64::try_from(depth).unwrap_or(u64::MAX);
                depth.saturating_mul(org) / folder.max(1) < folder.saturating_mul(ROW)
            };
            if walks { Way { by_org: true, ..named(columns) } } else { primary }
        }
    })
}

#[cfg(test)]
mod tests;
