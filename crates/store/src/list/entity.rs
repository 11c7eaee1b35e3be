//! What the list engine has to know about a noun.

use domain::{Noun, OrderField, Result, Timestamp, Uidp};

use super::{Cursor, CursorKey};
use crate::engine::Row;

/// A noun with a table of its own.
///
/// Its table has the columns `uid`, `parent`, `org` (the first segment of the uid) and `created_at`, and `name` when it is
/// named, with the indexes that [`super::plan`] names.
pub(crate) trait Entity: Sized + Send {
    const NOUN: Noun;
    const TABLE: &'static str;
    /// What [`Entity::read`] reads, in its order; `uid` comes first.
    const COLUMNS: &'static str;
    const NAMED: bool = true;

    fn read(row: &Row<'_>) -> Result<Self>;
    fn uid(&self) -> &Uidp;
    fn name(&self) -> &str;
    fn created_at(&self) -> Timestamp;

    /// Where the item stands in a list of that order.
    fn cursor(&self, order: OrderField) -> Cursor {
        let key = match order {
            OrderField::Uid => CursorKey::Uid,
            OrderField::Name => CursorKey::Name(self.name().to_owned()),
            OrderField::CreatedAt => CursorKey::Time(self.created_at()),
        };
        Cursor { key, uid: self.uid().clone() }
    }
}

/// What the items of a list must be.
pub(crate) trait Filter {
    /// The conditions, the most selective first. All must hold.
    fn terms(&self) -> Vec<Term>;
}

/// A column must have this value.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) column: &'static str,
    pub(crate) value: String,
    /// Whether there is an index `<table>_<column>` on (column, uid).
    pub(crate) indexed: bool,
}

impl Term {
    /// A condition on a column with an index of its own.
    pub(crate) fn indexed(column: &'static str, value: impl Into<String>) -> Self {
        Self { column, value: value.into(), indexed: true }
    }

    /// A condition that is tested row by row.
    pub(crate) fn tested(column: &'static str, value: impl Into<String>) -> Self {
        Self { column, value: value.into(), indexed: false }
    }
}
