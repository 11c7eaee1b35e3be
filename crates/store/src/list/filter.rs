//! What the items of a list must be.

use super::Sql;

/// A noun's own filter.
pub(crate) trait Filter {
    /// The conditions, the most selective first. All must hold.
    fn terms(&self) -> Vec<Term>;
}

/// A condition on the value of a column.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) column: &'static str,
    value: String,
    /// Whether there is an index `<table>_<column>` on (column, uid) that finds the rows. Of a noun with names and ranks the index
    /// of `name` has one beside it for each parent.
    pub(crate) indexed: bool,
}

impl Term {
    /// A column with an index of its own has this value: as many rows are read as are listed.
    pub(crate) fn indexed(column: &'static str, value: impl Into<String>) -> Self {
        Self { column, value: value.into(), indexed: true }
    }

    /// A column has this value, which is tested row by row: all rows of the place are read.
    pub(crate) fn tested(column: &'static str, value: impl Into<String>) -> Self {
        Self { column, value: value.into(), indexed: false }
    }

    /// Adds the condition to a statement.
    pub(super) fn add_to<'s>(&'s self, sql: &mut Sql<'s>) {
        sql.and(&format!("{} = ?", self.column), [(&self.value).into()]);
    }
}
