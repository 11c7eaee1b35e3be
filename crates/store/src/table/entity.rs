//! What a noun says by hand: how its rows are read and written.

use std::{future::ready, sync::OnceLock};

use database::{Fault, Row};
use domain::{Error, Noun, OrderField, Result, Revision, Timestamp, Uidp, iam::ResourceLimits};

use super::{Column, Columns, Declared, EventGroup, Values, WithParent};
use crate::{
    Writer,
    cursor::{Cursor, CursorKey},
    spot::Spot,
};

/// The rows of a noun with a table of its own: what it says of them by hand, and what else follows when one comes, changes or goes,
/// whoever causes that.
pub trait Entity: Clone + Send + Sync + Sized + 'static {
    /// Which noun.
    const NOUN: Noun;

    /// What is declared of it.
    fn declared() -> &'static Declared;

    /// Reads a row: its identifier, the noun's own columns that are read, and what stands behind them.
    fn read(columns: &mut Columns<'_>) -> Result<Self>;

    /// The values of the noun's own columns.
    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()>;

    fn uid(&self) -> &Uidp;

    /// What lists by name are ordered by; empty where rows have no names.
    #[expect(clippy::unnecessary_literal_bound, reason = "most nouns have names")]
    fn name(&self) -> &str {
        ""
    }

    /// How much the organization may have, for a row that others are to live in; `None` where there is no such thing.
    fn resource_limits(&self) -> Option<&ResourceLimits> {
        None
    }

    fn stamp(&self) -> Stamp;

    /// The same row, made and changed then.
    fn stamped(self, stamp: Stamp) -> Self;

    /// Why the database does not take the row, where that is not for the reason that all nouns have.
    fn refused(&self, fault: Fault) -> Error {
        fault.into()
    }

    /// Finds what a new row is to live in, and gives the row with what it takes from there.
    fn before_insert(self, tx: &mut Writer) -> impl Future<Output = Result<Self>> + Send {
        async move { super::in_what_exists(tx, &self).await.map(|()| self) }
    }

    /// What follows when the row has come.
    fn after_insert(&self, _tx: &mut Writer) -> impl Future<Output = Result<()>> + Send {
        ready(Ok(()))
    }

    /// What the row becomes, changed from what the write has read.
    fn before_update(self, _tx: &mut Writer, _from: &Self) -> impl Future<Output = Result<Self>> + Send {
        ready(Ok(self))
    }

    /// What follows when the row has changed.
    fn after_update(&self, _tx: &mut Writer, _from: &Self) -> impl Future<Output = Result<()>> + Send {
        ready(Ok(()))
    }

    /// What keeps the row with this identifier, or has to go before it.
    fn before_delete(_tx: &mut Writer, _uid: &Uidp) -> impl Future<Output = Result<()>> + Send {
        ready(Ok(()))
    }

    /// What follows when the row has gone, by itself or with another.
    fn after_delete(&self, _tx: &mut Writer) -> impl Future<Output = Result<()>> + Send {
        ready(Ok(()))
    }

    /// What decides where the row stands in lists.
    fn spot(&self) -> Spot {
        Spot { name: self.name().to_owned(), created_at: self.stamp().created_at }
    }

    /// What decides in an order that only this noun's lists have: the value of that column.
    fn own_key(&self, _column: &'static str) -> CursorKey {
        CursorKey::Uid
    }

    /// Where the item stands in a list of that order.
    fn cursor(&self, order: OrderField) -> Cursor {
        let key = match order {
            OrderField::Uid => CursorKey::Uid,
            OrderField::Name => CursorKey::Name(self.name().to_owned()),
            OrderField::CreatedAt => CursorKey::Time(self.stamp().created_at),
            OrderField::Own(column) => self.own_key(column),
        };
        Cursor { key, uid: self.uid().clone() }
    }
}

/// A noun that the store keeps in a table of its own.
pub trait Stored: Entity {}

impl<T: Entity> Stored for T {}

/// What is the same in every [`Entity`] that has a field for its identifier and three for its stamp.
macro_rules! its_fields {
    () => {
        fn declared() -> &'static $crate::table::Declared {
            &DECLARED
        }

        fn uid(&self) -> &domain::Uidp {
            &self.uid
        }

        fn stamp(&self) -> $crate::table::Stamp {
            $crate::table::Stamp { created_at: self.created_at, updated_at: self.updated_at, revision: self.revision }
        }

        fn stamped(self, stamp: $crate::table::Stamp) -> Self {
            let $crate::table::Stamp { created_at, updated_at, revision } = stamp;
            Self { created_at, updated_at, revision, ..self }
        }
    };
}
pub(crate) use its_fields;

/// When a row was made and changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) revision: Revision,
}

impl Declared {
    /// A noun whose rows live in those of another one and do not count themselves.
    pub(crate) const fn new<T: Entity>(
        table: &'static str,
        columns: &'static [Column],
        lives_in: &'static Self,
        with_parent: WithParent,
    ) -> Self {
        Self {
            noun: T::NOUN,
            table,
            columns,
            lives_in,
            with_parent,
            counts_itself: false,
            shares_uid: false,
            has_unique_names: false,
            is_few: false,
            has_limits: false,
            own_orders: &[],
            events_of: EventGroup::Parent,
            reads: reads::<T>,
            statements: OnceLock::new(),
        }
    }
}

fn reads<T: Entity>(row: &Row<'_>) -> Result<()> {
    T::read(&mut Columns::of(row, 0)).map(drop)
}
