//! Indexes, by name.

/// An index of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index<'a> {
    /// Of the primary key of this table.
    Primary(&'a str),
    /// The one called `<table>_<columns>`.
    Named(&'a str, &'a str),
}
