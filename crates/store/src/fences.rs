//! What is kept of an order to pass over any number of its rows: see [`crate::ranks`], which reads it from the database.

mod parents;
mod parts;
mod versions;

use database::Index;
use domain::{Noun, OrderField, Revision, Uidp};

pub(crate) use self::{
    parents::{Parents, Tally},
    parts::{Fences, Misfit, Part},
    versions::{Ranks, Version},
};
use crate::{
    cursor::CursorKey,
    spot::{Move, Spot},
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

impl Walk {
    /// The index. INVARIANT: there is no walk by what only one noun's lists are ordered by, see `Declared::walk`.
    pub(crate) fn index(self) -> Index<'static> {
        match (self.within, self.field) {
            (Within::Table | Within::Org, OrderField::Uid) | (_, OrderField::Own(_)) => Index::Primary(self.table),
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
    pub(crate) fn is_tallied(self) -> bool {
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
            OrderField::Uid | OrderField::Own(_) => CursorKey::Uid,
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

/// A row that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) revision: Revision,
    pub(crate) noun: Noun,
    pub(crate) uid: Uidp,
    pub(crate) spots: Move,
}

impl Step {
    /// The key that goes and the key that comes, as the walk sees them.
    fn keys(&self, walk: Walk) -> (Option<Key>, Option<Key>) {
        let key = |spot: &Option<Spot>| spot.as_ref().filter(|_| self.noun == walk.noun).map(|spot| walk.key(&self.uid, spot));
        (key(&self.spots.from), key(&self.spots.to))
    }
}

/// Whether a parent is one of those that a list is about.
pub(crate) type InPlaces<'a> = &'a (dyn Fn(&str) -> bool + Sync);

#[cfg(test)]
mod tests;
