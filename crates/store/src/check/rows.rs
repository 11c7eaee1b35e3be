//! Every row, read as the server reads it.

use std::{borrow::Cow, ops::ControlFlow};

use database::Row;
use domain::Result;

use super::{MOST, cause};
use crate::Reader;

/// The rows of a table, and how the server reads them.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(super) table: &'static str,
    /// What identifies a row, as an expression.
    pub(super) key: &'static str,
    pub(super) columns: Cow<'static, str>,
    pub(super) read: fn(&Row<'_>) -> Result<()>,
}

impl Rows {
    /// The rows that the server cannot read and why, in the order of their keys: at most one more than are told.
    ///
    /// # Errors
    /// Whatever keeps the table itself from being read.
    pub(super) async fn unreadable(&self, reader: &mut Reader) -> Result<Vec<(String, String)>> {
        let Self { table, key, columns, read } = self;
        let mut found = Vec::new();
        let sql = format!("SELECT '{table} ' || {key}, {columns} FROM {table} ORDER BY 1");
        reader
            .query_while(&sql, &[], |row| {
                if let Err(error) = read(&row.from(1)) {
                    let place = row.string(0).unwrap_or_else(|_| (*table).to_owned());
                    found.push((place, format!("the server cannot read it: {}", cause(&error))));
                }
                Ok(if found.len() > MOST { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })
            .await?;
        Ok(found)
    }
}
