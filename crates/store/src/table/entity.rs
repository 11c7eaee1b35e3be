//! What a noun says by hand: how its rows are read and written.

use std::sync::OnceLock;

use database::{Fault, Row};
use domain::{Error, Noun, OrderField, Result, Revision, Timestamp, Uidp};

use super::{Column, Columns, Declared, EventGroup, Values, WithParent};
use crate::{
    cursor::{Cursor, CursorKey},
    spot::Spot,
};

/// The rows of a noun with a table of its own.
pub(crate) trait Entity: Clone + Send + Sync + Sized {
    /// What is declared of it.
    fn declared() -> &'static Declared;

    /// Reads a row: its identifier, the noun's own columns that are read, and what stands behind them.
    fn read(columns: &mut Columns<'_>) -> Result<Self>;

    /// The values of the noun's own columns.
    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()>;

    fn uid(&self) -> &Uidp;

    /// What lists by name are ordered by; empty where rows have no names.
    fn name(&self) -> &str;

    fn stamp(&self) -> Stamp;

    /// The same row, made and changed then.
    fn stamped(self, stamp: Stamp) -> Self;

    /// Why the database does not take the row.
    fn refused(&self, fault: Fault) -> Error {
        fault.into()
    }

    /// What decides where the row stands in lists.
    fn spot(&self) -> Spot {
        Spot { name: self.name().to_owned(), created_at: self.stamp().created_at }
    }

    /// Where the item stands in a list of that order.
    fn cursor(&self, order: OrderField) -> Cursor {
        let key = match order {
            OrderField::Uid => CursorKey::Uid,
            OrderField::Name => CursorKey::Name(self.name().to_owned()),
            OrderField::CreatedAt => CursorKey::Time(self.stamp().created_at),
        };
        Cursor { key, uid: self.uid().clone() }
    }
}

/// When a row was made and changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) revision: Revision,
}

impl Declared {
    /// A noun whose rows live in those of another one and do not count themselves.
    pub(crate) const fn new<T: Entity>(
        noun: Noun,
        table: &'static str,
        columns: &'static [Column],
        lives_in: &'static Self,
        with_parent: WithParent,
    ) -> Self {
        Self {
            noun,
            table,
            columns,
            lives_in,
            with_parent,
            counts_itself: false,
            shares_uid: false,
            is_few: false,
            events_of: EventGroup::Parent,
            reads: reads::<T>,
            statements: OnceLock::new(),
        }
    }
}

fn reads<T: Entity>(row: &Row<'_>) -> Result<()> {
    T::read(&mut Columns::of(row, 0)).map(drop)
}
