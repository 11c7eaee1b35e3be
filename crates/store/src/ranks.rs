//! How many rows come before a place in an order: what pages far behind the first are found with.
//!
//! The counters tell how many rows are below a place, not which of them is the millionth. For an order that an index of the
//! database walks through, [`Fences`] keep one key in some hundred and how many keys lie between it and the next, so that
//! passing over any number of rows adds up numbers in memory and walks through a few hundred keys at most. They hold as of a
//! commit; a reader with a later snapshot reads in the feed what has moved since and corrects its own copy. [`follow`] makes
//! them when the store opens and moves them forward.

mod correct;
mod fences;
mod follow;
mod moves;
mod parents;
mod scan;
mod versions;

use database::Index;
use domain::{Noun, OrderField, Timestamp, Uidp};

pub(crate) use correct::{InPlaces, fences};
pub(crate) use fences::Fences;
pub(crate) use follow::Follower;
pub(crate) use versions::Ranks;

use crate::{
    CursorKey,
    table::{Declared, Entity, Nouns},
};

/// An order that an index of a table walks through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Walk {
    pub(crate) noun: Noun,
    pub(crate) table: &'static str,
    pub(crate) within: Within,
    pub(crate) field: OrderField,
}

/// What the rows that follow each other in an index have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Within {
    /// Nothing but their table.
    Table,
    /// Their parent.
    Parent,
    /// Their first segment.
    Org,
}

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
fn walks(nouns: Nouns) -> impl Iterator<Item = Walk> {
    WALKS.into_iter().flat_map(move |(within, field)| nouns.all().filter_map(move |noun| Walk::of(noun, within, field)))
}

impl Walk {
    /// `None` when there is no such order.
    pub(crate) fn of(noun: &Declared, within: Within, field: OrderField) -> Option<Self> {
        (noun.is_named() || field != OrderField::Name).then_some(Self { noun: noun.noun, table: noun.table, within, field })
    }

    /// The index.
    pub(crate) fn index(self) -> Index<'static> {
        match (self.within, self.field) {
            (Within::Table | Within::Org, OrderField::Uid) => Index::Primary(self.table),
            (Within::Table, OrderField::Name) => Index::Named(self.table, "name"),
            (Within::Table, OrderField::CreatedAt) => Index::Named(self.table, "created_at"),
            (Within::Parent, OrderField::Uid) => Index::Named(self.table, "parent"),
            (Within::Parent, OrderField::Name) => Index::Named(self.table, "parent_name"),
            (Within::Parent, OrderField::CreatedAt) => Index::Named(self.table, "parent_created_at"),
            (Within::Org, OrderField::Name) => Index::Named(self.table, "org_name"),
            (Within::Org, OrderField::CreatedAt) => Index::Named(self.table, "org_created_at"),
        }
    }

    /// Whether it is told where the rows of its parts live: scattered places are one after the other by identifier, and
    /// children have one parent.
    fn is_tallied(self) -> bool {
        self.within != Within::Parent && self.field != OrderField::Uid
    }

    /// Where a row stands in it.
    fn key(self, uid: &Uidp, spot: &Spot) -> Key {
        let place = match self.within {
            Within::Table => "",
            Within::Parent => uid.parent_text(),
            Within::Org => uid.root_text(),
        };
        let by = match self.field {
            OrderField::Uid => CursorKey::Uid,
            OrderField::Name => CursorKey::Name(spot.name.clone()),
            OrderField::CreatedAt => CursorKey::Time(spot.created_at),
        };
        Key { place: place.into(), by, uid: uid.as_str().into() }
    }
}

/// A place in a [`Walk`]. Its order is that of the index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    /// What the rows around it have in common.
    pub(crate) place: Box<str>,
    pub(crate) by: CursorKey,
    pub(crate) uid: Box<str>,
}

impl Key {
    /// Before every row at `place`: no row has an empty identifier.
    pub(crate) fn before(place: &str) -> Self {
        Self { place: place.into(), by: CursorKey::Uid, uid: "".into() }
    }

    /// Behind every row at `place`: no text is between it and the one with a NUL at its end.
    pub(crate) fn behind(place: &str) -> Self {
        Self::before(&format!("{place}\0"))
    }

    /// Before everything.
    pub(crate) fn least() -> Self {
        Self::before("")
    }
}

/// What decides, beside its identifier, where a row stands in every order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) name: String,
    pub(crate) created_at: Timestamp,
}

impl Spot {
    pub(crate) fn of<E: Entity>(row: &E) -> Self {
        Self { name: row.name().to_owned(), created_at: row.stamp().created_at }
    }
}

/// Where a row stood and where it stands: it came, went, changed its place or stayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) from: Option<Spot>,
    pub(crate) to: Option<Spot>,
}

#[cfg(test)]
mod tests;
