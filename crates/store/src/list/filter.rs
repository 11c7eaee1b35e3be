//! What the items of a list must be.

use database::{Index, json};
use domain::{OrderField, Result, Timestamp};
use serde::Serialize;

use super::{
    Sql, Stream,
    way::{Layout, Way},
};
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
    /// One of these texts.
    AnyOf(Vec<String>),
    /// A number that has one of these bits.
    AnyBit(i64),
    /// A text that this one is part of.
    Contains(String),
    /// True.
    True,
    /// One of these words is among those of the kind that the row has.
    Word(Words),
    /// None of these words is.
    NoWord(Words),
}

/// Words of which a row can have several, in a table of their own: `word` is one that the row `of_uid` has of this `kind`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Words {
    pub(crate) table: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) any_of: Vec<String>,
}

/// How the rows are found that fulfil a condition, and with that how many others are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// By this index, on (column, uid) or on the column where that is unique, which finds few: as many rows are read as are listed.
    /// Of a noun with names and ranks the index of `name` has one beside it for each parent.
    Index(&'static str),
    /// By this index, on (column, uid || ''), which finds few in one place and many in another: an engine that plans once for all values
    /// would else walk through the identifiers of a large place.
    Apart(&'static str),
    /// By an index `<table>_<column>` on (column, uid) in lists by identifier alone, as it finds many: those are in order there. In
    /// other orders it is tested.
    Order,
    /// By this index, on (org, column, uid): as many rows are read as the place's organization has that fulfil it. Over all
    /// organizations it is tested.
    Organization(&'static str),
    /// By the table of its words, which finds few, in no order.
    Words,
    /// Row by row: all rows of the place are read.
    Test,
}

impl Term {
    /// A column has this value, which few rows have.
    pub(crate) fn few(column: &'static str, value: impl Into<String>) -> Self {
        Self { column, is: Predicate::Equals(value.into()), by: By::Index(column) }
    }

    /// A column has this value, which few values share among very many rows.
    pub(crate) fn shared(column: &'static str, value: impl Into<String>) -> Self {
        Self { column, is: Predicate::Equals(value.into()), by: By::Apart(column) }
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

    /// A column has one of these values, each of which few rows have.
    pub(crate) fn few_of(column: &'static str, values: Vec<String>) -> Self {
        Self { column, is: Predicate::AnyOf(values), by: By::Index(column) }
    }

    /// A column, by which the index finds one row for each value, has one of these.
    pub(crate) fn one_each(column: &'static str, index: &'static str, values: Vec<String>) -> Self {
        Self { column, is: Predicate::AnyOf(values), by: By::Index(index) }
    }

    /// A column has one of these values, for which there is no index.
    pub(crate) fn tested_of(column: &'static str, values: Vec<String>) -> Self {
        Self { column, is: Predicate::AnyOf(values), by: By::Test }
    }

    /// A column has one of these bits.
    pub(crate) fn any_bit(column: &'static str, bits: i64) -> Self {
        Self { column, is: Predicate::AnyBit(bits), by: By::Test }
    }

    /// A column, which has everything in lower case, has this text in it.
    pub(crate) fn contains(column: &'static str, text: &str) -> Self {
        Self { column, is: Predicate::Contains(text.to_lowercase()), by: By::Test }
    }

    /// A column is true.
    pub(crate) fn is_true(column: &'static str) -> Self {
        Self { column, is: Predicate::True, by: By::Test }
    }

    /// The row has one of these words, each of which few rows have.
    pub(crate) fn few_words(words: Words) -> Self {
        Self { column: "uid", is: Predicate::Word(words), by: By::Words }
    }

    /// The row has one of these words, each of which many rows may have.
    pub(crate) fn tested_words(words: Words) -> Self {
        Self { column: "uid", is: Predicate::Word(words), by: By::Test }
    }

    /// The row has none of these words.
    pub(crate) fn no_words(words: Words) -> Self {
        Self { column: "uid", is: Predicate::NoWord(words), by: By::Test }
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
        matches!(self.by, By::Index(_) | By::Apart(_) | By::Words)
    }

    /// The way through `table` to the rows of `stream` that fulfil it, if there is one for that order.
    pub(super) fn plan(&self, table: &'static str, stream: &Stream, order: OrderField) -> Option<Way> {
        let walk = |columns| Some(Way::by(Index::Named(table, columns)));
        match (self.by, stream) {
            (By::Test, _) | (_, Stream::One(_)) | (By::Organization(_), Stream::All | Stream::Roots) => None,
            (By::Index(_), Stream::Children(_) | Stream::Roots) if self.column == "name" => {
                walk("parent_name").map(|way| Way { layout: self.layout(), ..way })
            }
            (By::Index(index), _) => walk(index).map(|way| Way { layout: self.layout(), ..way }),
            (By::Apart(index), _) => walk(index).map(|way| Way { layout: Layout::Apart, ..way }),
            (By::Words, _) => Some(Way { layout: Layout::InRange, ..Way::by(Index::Primary(table)) }),
            (By::Order, _) => walk(self.column).filter(|_| order == OrderField::Uid),
            (By::Organization(index), _) => walk(index).map(|plan| Way { by_org: true, layout: Layout::InRange, ..plan }),
        }
    }

    /// How what it finds lies in an index on its column and the identifier.
    fn layout(&self) -> Layout {
        match &self.is {
            Predicate::AnyOf(values) if values.len() > 1 => Layout::AtSeveral,
            _ => Layout::InOrder,
        }
    }

    /// Adds the condition to a statement.
    pub(super) fn add_to<'s>(&'s self, sql: &mut Sql<'s>) {
        match &self.is {
            Predicate::Equals(value) => sql.and(&format!("{} = ?", self.column), [value.into()]),
            Predicate::Is(value) => sql.and(&format!("{} = ?", self.column), [(*value).into()]),
            Predicate::Since(at) => sql.and(&format!("{} >= ?", self.column), [(*at).into()]),
            Predicate::AnyOf(values) => sql.and_among(self.column, values),
            Predicate::AnyBit(bits) => sql.and(&format!("({} & ?) <> 0", self.column), [(*bits).into()]),
            // What a text is taken out of is shorter then.
            Predicate::Contains(text) => sql.and(&format!("replace({0}, ?, '') <> {0}", self.column), [text.into()]),
            Predicate::True => sql.and(self.column, []),
            Predicate::Word(words) if self.by == By::Words => {
                let Words { table, kind, any_of } = words;
                sql.and(&format!("uid IN (SELECT w.of_uid FROM {table} w WHERE w.kind = '{kind}' AND w.word"), []);
                sql.in_texts(any_of);
                sql.push(")");
            }
            Predicate::Word(words) => words.tested(sql, ""),
            Predicate::NoWord(words) => words.tested(sql, "NOT "),
            Predicate::OneOf(values) => {
                let list = vec!["?"; values.len()].join(", ");
                sql.and(&format!("{} IN ({list})", self.column), values.iter().map(|value| (*value).into()));
            }
        }
    }
}

impl Words {
    /// Adds the condition that the row of the statement has one of them, or, with `not`, none.
    fn tested<'s>(&'s self, sql: &mut Sql<'s>, not: &str) {
        let Self { table, kind, any_of } = self;
        sql.and(&format!("{not}EXISTS (SELECT 1 FROM {table} w WHERE w.of_uid = uid AND w.kind = '{kind}' AND w.word"), []);
        sql.in_texts(any_of);
        sql.push(")");
    }
}
