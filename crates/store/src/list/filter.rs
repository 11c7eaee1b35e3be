//! What the items of a list must be.

use database::{Index, json};
use domain::{OrderField, Result, Timestamp};
use serde::Serialize;

use super::{Sql, Stream, way::Way};
use crate::table::Stored;

/// A noun's own filter.
pub trait Filter: Send + Sync {
    /// What is listed.
    type Row: Stored;

    /// The conditions, the most selective first. All must hold.
    fn terms(&self) -> Vec<Term>;
}

/// A condition on a column.
#[derive(Clone, Debug, Serialize)]
pub struct Term {
    column: &'static str,
    is: Predicate,
    #[serde(skip)]
    by: By,
}

/// What a value must be.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Predicate {
    /// This text.
    Equals(String),
    /// This number.
    Is(i64),
    /// One of these numbers.
    OneOf(Vec<i64>),
    /// This time or a later one.
    Since(Timestamp),
}

/// How the rows are found that fulfil a condition, and with that how many others are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// By an index `<table>_<column>` on (column, uid), which finds few: as many rows are read as are listed. Of a noun with names
    /// and ranks the index of `name` has one beside it for each parent.
    Index,
    /// By such an index in lists by identifier alone, as it finds many: those are in order there. In other orders it is tested.
    Order,
    /// By this index, on (org, column, uid): as many rows are read as the place's organization has that fulfil it. Over all
    /// organizations it is tested.
    Organization(&'static str),
    /// Row by row: all rows of the place are read.
    Test,
}

impl Term {
    /// A column has this value, which few rows have.
    pub(crate) fn few(column: &'static str, value: impl Into<String>) -> Self {
        Self { column, is: Predicate::Equals(value.into()), by: By::Index }
    }

    /// A column has this number, which many rows have.
    pub(crate) fn many(column: &'static str, value: i64) -> Self {
        Self { column, is: Predicate::Is(value), by: By::Order }
    }

    /// A column has this time or a later one, which the index finds.
    pub(crate) fn since(column: &'static str, index: &'static str, at: Timestamp) -> Self {
        Self { column, is: Predicate::Since(at), by: By::Organization(index) }
    }

    /// A column has this value, for which there is no index.
    pub(crate) fn tested(column: &'static str, value: impl Into<String>) -> Self {
        Self { column, is: Predicate::Equals(value.into()), by: By::Test }
    }

    /// A column has one of these numbers, for which there is no index.
    pub(crate) fn one_of(column: &'static str, values: Vec<i64>) -> Self {
        Self { column, is: Predicate::OneOf(values), by: By::Test }
    }

    /// What it says, as a text of its own: the tokens of a list's pages are bound to it.
    ///
    /// # Errors
    /// Internal when it cannot be written as JSON.
    pub fn text(&self) -> Result<String> {
        json(self)
    }

    /// Whether it finds the rows of all places together, whatever the order.
    pub(super) fn finds(&self) -> bool {
        self.by == By::Index
    }

    /// The way through `table` to the rows of `stream` that fulfil it, if there is one for that order.
    pub(super) fn plan(&self, table: &'static str, stream: &Stream, order: OrderField) -> Option<Way> {
        let walk = |columns| Some(Way::by(Index::Named(table, columns)));
        match (self.by, stream) {
            (By::Test, _) | (_, Stream::One(_)) | (By::Organization(_), Stream::All | Stream::Roots) => None,
            (By::Index, Stream::Children(_) | Stream::Roots) if self.column == "name" => walk("parent_name"),
            (By::Index, _) => walk(self.column),
            (By::Order, _) => walk(self.column).filter(|_| order == OrderField::Uid),
            (By::Organization(index), _) => walk(index).map(|plan| Way { by_org: true, is_range: true, ..plan }),
        }
    }

    /// Adds the condition to a statement.
    pub(super) fn add_to<'s>(&'s self, sql: &mut Sql<'s>) {
        match &self.is {
            Predicate::Equals(value) => sql.and(&format!("{} = ?", self.column), [value.into()]),
            Predicate::Is(value) => sql.and(&format!("{} = ?", self.column), [(*value).into()]),
            Predicate::Since(at) => sql.and(&format!("{} >= ?", self.column), [(*at).into()]),
            Predicate::OneOf(values) => {
                let list = vec!["?"; values.len()].join(", ");
                sql.and(&format!("{} IN ({list})", self.column), values.iter().map(|value| (*value).into()));
            }
        }
    }
}
