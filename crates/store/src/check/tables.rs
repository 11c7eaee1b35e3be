//! The rules for the rows of every table, one by one.

use database::Row;
use domain::{Error, Noun, Result, iam::Identity};
use serde::de::IgnoredAny;

use super::{
    probe::{Probe, Question},
    rows::Rows,
};
use crate::{
    audit, changes,
    nouns::NOUNS,
    outbox, sessions, signing_keys,
    table::{Columns, Declared, Entity as _},
};

/// What encryption adds to a private key: a nonce and a tag of AES-256-GCM.
const SEALED: usize = 12 + 16;

/// The rules for the rows of every table that holds more than texts and numbers.
pub(super) fn rows() -> impl Iterator<Item = Probe> {
    let others = [
        Rows { table: "signing_keys", key: "kid", columns: signing_keys::COLUMNS.into(), read: signing_key },
        Rows { table: "changes", key: "revision || ' ' || ordinal", columns: changes::COLUMNS.into(), read: change },
        Rows { table: "outbox", key: "revision || ' ' || ordinal", columns: outbox::COLUMNS.into(), read: event },
        Rows {
            table: "dead_letters",
            key: "subscription || ' ' || revision || ' ' || ordinal",
            columns: outbox::COLUMNS.into(),
            read: event,
        },
        Rows { table: "sessions", key: "uid", columns: sessions::COLUMNS.into(), read: |row| sessions::read(row).map(drop) },
        Rows { table: "audit", key: "id", columns: audit::COLUMNS.into(), read: |row| audit::read(row).map(drop) },
    ];
    let tables = NOUNS.all().map(of).chain(others);
    tables.map(|rows| Probe { check: "rows", place: rows.table.to_owned(), question: Question::Rows(rows) })
}

/// The rows of a noun.
fn of(noun: &'static Declared) -> Rows {
    let columns = &*noun.statements().columns;
    let rows = Rows { table: noun.table, key: "uid", columns: columns.into(), read: noun.reads };
    match noun.noun {
        Noun::Identity => Rows { columns: format!("relationship_type, {columns}").into(), read: identity, ..rows },
        _ => rows,
    }
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
