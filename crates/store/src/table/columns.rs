//! The values of a row, one after the other in the order of its columns.

use database::{Param, Row, json, word};
use domain::{Description, Name, Result, Revision, Timestamp, Uidp};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::ColumnKind;

/// A row that is read from its first column to its last.
#[derive(Debug)]
pub struct Columns<'r> {
    row: Row<'r>,
    next: usize,
}

impl<'r> Columns<'r> {
    /// The columns of a row, from this one on.
    pub(crate) fn of(row: &Row<'r>, first: usize) -> Self {
        Self { row: *row, next: first }
    }

    fn take<T>(&mut self, read: impl FnOnce(&Row<'r>, usize) -> Result<T>) -> Result<T> {
        let column = self.next;
        self.next += 1;
        read(&self.row, column)
    }

    pub(crate) fn uidp(&mut self) -> Result<Uidp> {
        self.take(Row::uidp)
    }

    pub(crate) fn opt_uidp(&mut self) -> Result<Option<Uidp>> {
        self.take(Row::opt_uidp)
    }

    pub(crate) fn name(&mut self) -> Result<Name> {
        self.take(Row::name)
    }

    pub(crate) fn description(&mut self) -> Result<Description> {
        self.take(Row::description)
    }

    pub(crate) fn bool(&mut self) -> Result<bool> {
        self.take(Row::bool)
    }

    pub(crate) fn int(&mut self) -> Result<i64> {
        self.take(Row::int)
    }

    pub(crate) fn string(&mut self) -> Result<String> {
        self.take(Row::string)
    }

    pub(crate) fn opt_string(&mut self) -> Result<Option<String>> {
        self.take(Row::opt_string)
    }

    pub(crate) fn time(&mut self) -> Result<Timestamp> {
        self.take(Row::time)
    }

    pub(crate) fn opt_time(&mut self) -> Result<Option<Timestamp>> {
        self.take(Row::opt_time)
    }

    /// A time, of which 0 stands for none.
    pub(crate) fn time_unless_0(&mut self) -> Result<Option<Timestamp>> {
        Ok(Some(self.time()?).filter(|at| *at != Timestamp::default()))
    }

    pub(crate) fn revision(&mut self) -> Result<Revision> {
        self.take(Row::revision)
    }

    /// A nested shape, stored as JSON text.
    pub(crate) fn json<T: Deserialize<'r>>(&mut self) -> Result<T> {
        self.take(Row::json)
    }

    /// A nested shape that may be absent.
    pub(crate) fn opt_json<T: Deserialize<'r>>(&mut self) -> Result<Option<T>> {
        self.take(Row::opt_json)
    }

    /// A plain enum, stored as its serde name.
    pub(crate) fn word<T: DeserializeOwned>(&mut self) -> Result<T> {
        self.take(Row::word)
    }
}

/// The value of a column as it is stored.
pub(crate) fn value<'r>(row: &Row<'r>, column: usize, kind: ColumnKind) -> Result<Param<'r>> {
    Ok(match kind {
        ColumnKind::Text => row.opt_text(column)?.into(),
        ColumnKind::Int => row.opt_int(column)?.into(),
        ColumnKind::Bool => row.bool(column)?.into(),
        ColumnKind::Bytes => row.opt_bytes(column)?.into(),
    })
}

/// The values of a row's own columns, in their order.
#[derive(Debug, Default)]
pub struct Values<'v>(pub(crate) Vec<Param<'v>>);

impl<'v> Values<'v> {
    pub(crate) fn add(&mut self, value: impl Into<Param<'v>>) -> &mut Self {
        self.0.push(value.into());
        self
    }

    /// A nested shape.
    pub(crate) fn json<T: Serialize>(&mut self, value: &T) -> Result<&mut Self> {
        Ok(self.add(json(value)?))
    }

    /// A nested shape that may be absent.
    pub(crate) fn opt_json<T: Serialize>(&mut self, value: Option<&T>) -> Result<&mut Self> {
        Ok(self.add(value.map(json).transpose()?))
    }

    /// A plain enum.
    pub(crate) fn word<T: Serialize>(&mut self, value: &T) -> Result<&mut Self> {
        Ok(self.add(word(value)?))
    }
}
