//! How many rows come before a place in an order: what pages far behind the first are found with.
//!
//! The counters tell how many rows are below a place, not which of them is the millionth. For an order that an index of the
//! database walks through, [`Fences`] keep one key in some hundred and how many keys lie between it and the next, so that
//! passing over any number of rows adds up numbers in memory and walks through a few hundred keys at most. They belong to
//! one snapshot: [`Ranks`] has those of the last commits, and a reader takes the ones of its own revision or does without.

mod fences;
mod registry;

use domain::{OrderField, Timestamp, Uidp};

pub(crate) use fences::{Fences, Part};
pub(crate) use registry::{Order, Ranks};

use crate::{CursorKey, engine::Index, list::Entity};

/// An order that an index of a table walks through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Walk {
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

    /// Where a row stands in it.
    pub(crate) fn key(self, row: &Spot) -> Key {
        let place = match self.within {
            Within::Table => "",
            Within::Parent => row.uid.parent_text(),
            Within::Org => row.uid.root_text(),
        };
        let by = match self.field {
            OrderField::Uid => CursorKey::Uid,
            OrderField::Name => CursorKey::Name(row.name.clone()),
            OrderField::CreatedAt => CursorKey::Time(row.created_at),
        };
        Key { place: place.into(), by, uid: row.uid.as_str().into() }
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

/// What decides where a row stands in every order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    uid: Uidp,
    name: String,
    created_at: Timestamp,
}

impl Spot {
    pub(crate) fn of<E: Entity>(row: &E) -> Self {
        Self { uid: row.uid().clone(), name: row.name().to_owned(), created_at: row.created_at() }
    }
}

/// A row that came, went or stands elsewhere now.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub(crate) table: &'static str,
    pub(crate) from: Option<Spot>,
    pub(crate) to: Option<Spot>,
}

/// The same as one walk sees it: the key that goes and the key that comes.
type Step = (Option<Key>, Option<Key>);

/// What the moves are in a walk; a move that does not change the key is none.
fn steps(walk: Walk, moves: &[Move]) -> Vec<Step> {
    let key = |spot: &Option<Spot>| spot.as_ref().map(|spot| walk.key(spot));
    let of_table = moves.iter().filter(|step| step.table == walk.table);
    of_table.map(|step| (key(&step.from), key(&step.to))).filter(|(from, to)| from != to).collect()
}

#[cfg(test)]
mod tests;
