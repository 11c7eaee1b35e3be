//! Every row, read as the server reads it.

use std::{borrow::Cow, ops::ControlFlow};

use database::Row;
use domain::{Error, Noun, Result, iam::Identity};
use serde::de::IgnoredAny;

use super::probe::{MOST, Probe, Question, cause};
use crate::{
    Reader, audit, changes,
    nouns::NOUNS,
    outbox, signing_keys,
    table::{Columns, Declared, Entity as _},
};

/// What encryption adds to a private key: a nonce and a tag of AES-256-GCM.
const SEALED: usize = 12 + 16;

/// The rows of a table, and how the server reads them.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    table: &'static str,
    /// What identifies a row, as an expression.
    key: &'static str,
    columns: Cow<'static, str>,
    read: fn(&Row<'_>) -> Result<()>,
}

impl Rows {
    fn of(noun: &'static Declared) -> Self {
        let columns = &*noun.statements().columns;
        let rows = Self { table: noun.table, key: "uid", columns: columns.into(), read: noun.reads };
        match noun.noun {
            Noun::Identity => Self { columns: format!("relationship_type, {columns}").into(), read: identity, ..rows },
            _ => rows,
        }
    }

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

/// The rules for the rows of every table that holds more than texts and numbers.
pub(super) fn rows() -> impl Iterator<Item = Probe> {
    let others = [
        Rows { table: "signing_keys", key: "kid", columns: signing_keys::COLUMNS.into(), read: signing_key },
        Rows { table: "changes", key: "revision || ' ' || ordinal", columns: changes::COLUMNS.into(), read: change },
        Rows { table: "outbox", key: "revision || ' ' || ordinal", columns: outbox::COLUMNS.into(), read: event },
        Rows { table: "audit", key: "id", columns: audit::COLUMNS.into(), read: |row| audit::read(row).map(drop) },
    ];
    let tables = NOUNS.all().map(Rows::of).chain(others);
    tables.map(|rows| Probe { check: "rows", place: rows.table.to_owned(), question: Question::Rows(rows) })
}

/// An identity behind the column that lists filter by, which says of what kind its relationship is.
fn identity(row: &Row<'_>) -> Result<()> {
    let (kind, relationship) = (row.text(0)?, Identity::read(&mut Columns::of(row, 1))?.spec.relationship);
    let is = relationship.kind().as_str();
    if kind == is { Ok(()) } else { Err(Error::internal(format!("its relationship is {is}, and its relationship_type {kind}"))) }
}

fn signing_key(row: &Row<'_>) -> Result<()> {
    let key = signing_keys::read(row)?;
    if key.private_key.len() < SEALED {
        return Err(Error::internal("its private key is shorter than any that is encrypted"));
    }
    is_json(&key.public_jwk)
}

fn change(row: &Row<'_>) -> Result<()> {
    changes::read(row).map(drop)
}

fn event(row: &Row<'_>) -> Result<()> {
    is_json(&outbox::read(row)?.snapshot)
}

fn is_json(text: &str) -> Result<()> {
    serde_json::from_str::<IgnoredAny>(text).map(drop).map_err(Error::internal)
}
