//! Values that come out of SQL.

use std::{fmt, ops::ControlFlow};

use domain::{Description, Error, Name, Result, Revision, Timestamp, Uidp};
use serde::{
    Deserialize, Serialize,
    de::{
        DeserializeOwned, IntoDeserializer,
        value::{Error as WordError, StrDeserializer},
    },
};

/// A row of an answer: a view that lives until the next row and copies nothing by itself.
///
/// Columns are numbered from the view's first. Reading one that is not there, has another type, is null where that has no meaning,
/// or does not hold what it should, is an internal error: the statement or the database is wrong.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    raw: Raw<'a>,
    first: usize,
}

#[derive(Clone, Copy)]
enum Raw<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

/// Takes the rows of an answer, one after the other, until it breaks. One type for all of them: what reads rows is made once for
/// each engine, and not for each statement.
pub(crate) type Reading<'r> = dyn FnMut(&Row<'_>) -> Result<ControlFlow<()>> + Send + 'r;

/// Values are somebody's data.
impl fmt::Debug for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row").field("first", &self.first).finish_non_exhaustive()
    }
}

#[expect(clippy::missing_errors_doc, reason = "all of them fail alike, as the type says")]
impl<'a> Row<'a> {
    pub(crate) fn sqlite(row: &'a rusqlite::Row<'a>) -> Self {
        Self { raw: Raw::Sqlite(row), first: 0 }
    }

    pub(crate) fn postgres(row: &'a tokio_postgres::Row) -> Self {
        Self { raw: Raw::Postgres(row), first: 0 }
    }

    /// The same row seen from a later column, for joins.
    #[must_use]
    pub fn from(&self, column: usize) -> Self {
        Self { raw: self.raw, first: self.first + column }
    }

    /// A text, or nothing.
    pub fn opt_text(&self, column: usize) -> Result<Option<&'a str>> {
        match self.raw {
            Raw::Sqlite(row) => {
                row.get_ref(self.first + column).map_err(Error::internal)?.as_str_or_null().map_err(Error::internal)
            }
            Raw::Postgres(row) => row.try_get(self.first + column).map_err(Error::internal),
        }
    }

    /// A number, or nothing.
    pub fn opt_int(&self, column: usize) -> Result<Option<i64>> {
        match self.raw {
            Raw::Sqlite(row) => {
                row.get_ref(self.first + column).map_err(Error::internal)?.as_i64_or_null().map_err(Error::internal)
            }
            Raw::Postgres(row) => row.try_get(self.first + column).map_err(Error::internal),
        }
    }

    /// Bytes, or nothing.
    pub fn opt_bytes(&self, column: usize) -> Result<Option<&'a [u8]>> {
        match self.raw {
            Raw::Sqlite(row) => {
                row.get_ref(self.first + column).map_err(Error::internal)?.as_blob_or_null().map_err(Error::internal)
            }
            Raw::Postgres(row) => row.try_get(self.first + column).map_err(Error::internal),
        }
    }

    /// A truth value.
    pub fn bool(&self, column: usize) -> Result<bool> {
        match self.raw {
            Raw::Sqlite(_) => self.int(column).map(|n| n != 0),
            Raw::Postgres(row) => row.try_get(self.first + column).map_err(Error::internal),
        }
    }

    /// A text.
    pub fn text(&self, column: usize) -> Result<&'a str> {
        self.opt_text(column)?.ok_or_else(|| absent(column))
    }

    /// A number.
    pub fn int(&self, column: usize) -> Result<i64> {
        self.opt_int(column)?.ok_or_else(|| absent(column))
    }

    /// Bytes.
    pub fn bytes(&self, column: usize) -> Result<&'a [u8]> {
        self.opt_bytes(column)?.ok_or_else(|| absent(column))
    }

    /// A text of its own.
    pub fn string(&self, column: usize) -> Result<String> {
        self.text(column).map(str::to_owned)
    }

    /// A text of its own, or nothing.
    pub fn opt_string(&self, column: usize) -> Result<Option<String>> {
        Ok(self.opt_text(column)?.map(str::to_owned))
    }

    /// An identifier.
    pub fn uidp(&self, column: usize) -> Result<Uidp> {
        self.text(column)?.parse().map_err(Error::internal)
    }

    /// An identifier that may be absent.
    pub fn opt_uidp(&self, column: usize) -> Result<Option<Uidp>> {
        self.opt_text(column)?.map(|text| text.parse().map_err(Error::internal)).transpose()
    }

    /// A name. It was valid when it was stored.
    pub fn name(&self, column: usize) -> Result<Name> {
        self.text(column).map(Name::trusted)
    }

    /// A description. It was valid when it was stored.
    pub fn description(&self, column: usize) -> Result<Description> {
        self.text(column).map(Description::trusted)
    }

    /// A time.
    pub fn time(&self, column: usize) -> Result<Timestamp> {
        self.int(column).map(Timestamp)
    }

    /// An instant that may be absent.
    pub fn opt_time(&self, column: usize) -> Result<Option<Timestamp>> {
        Ok(self.opt_int(column)?.map(Timestamp))
    }

    /// A revision.
    pub fn revision(&self, column: usize) -> Result<Revision> {
        self.int(column).map(Revision)
    }

    /// A nested shape, stored as JSON text.
    pub fn json<T: Deserialize<'a>>(&self, column: usize) -> Result<T> {
        serde_json::from_str(self.text(column)?).map_err(Error::internal)
    }

    /// A nested shape that may be absent.
    pub fn opt_json<T: Deserialize<'a>>(&self, column: usize) -> Result<Option<T>> {
        self.opt_text(column)?.map(|text| serde_json::from_str(text).map_err(Error::internal)).transpose()
    }

    /// A plain enum, stored as its serde name.
    pub fn word<T: DeserializeOwned>(&self, column: usize) -> Result<T> {
        read_word(self.text(column)?)
    }

    /// A plain enum that may be absent.
    pub fn opt_word<T: DeserializeOwned>(&self, column: usize) -> Result<Option<T>> {
        self.opt_text(column)?.map(read_word).transpose()
    }
}

fn read_word<T: DeserializeOwned>(word: &str) -> Result<T> {
    let word: StrDeserializer<'_, WordError> = word.into_deserializer();
    T::deserialize(word).map_err(Error::internal)
}

fn absent(column: usize) -> Error {
    Error::internal(format!("column {column} is null"))
}

/// The stored form of a nested shape.
///
/// # Errors
/// Internal when it cannot be written as JSON.
pub fn json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(Error::internal)
}

/// The stored form of a plain enum: its serde name.
///
/// # Errors
/// Internal when it is none.
pub fn word<T: Serialize>(value: &T) -> Result<String> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => Ok(word),
        Ok(other) => Err(Error::internal(format!("not a plain enum: {other}"))),
        Err(error) => Err(Error::internal(error)),
    }
}
