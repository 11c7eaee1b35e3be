//! Which tables a backup holds, column by column, the same for every engine.
//!
//! Referenced tables come before those that refer to them: a restore writes in this order.

use std::{borrow::Cow, fmt, sync::LazyLock};

use database::{Param, Row};
use domain::{Error, Result};

use crate::{
    Reader,
    nouns::NOUNS,
    table::{Column, ColumnKind, Declared, bool, bytes, int, text},
};

/// A table.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    /// What identifies a row and gives its place in the backup.
    pub(super) key: &'static [Column],
    pub(super) columns: Vec<Column>,
}

/// The oldest schema whose backups are restored. What its tables lack is empty then.
pub(super) const OLDEST: i64 = 20;

/// A column that a table got later.
struct Added {
    table: &'static str,
    column: &'static str,
    /// The schema that has it first.
    since: i64,
    /// What it has in rows of before: a text, or nothing.
    before: Option<&'static str>,
}

/// Columns that tables have got since [`OLDEST`].
const ADDED: [Added; 7] = [
    Added { table: "groups", column: "resource_limits", since: 21, before: Some("{}") },
    Added { table: "repos", column: "synced_by", since: 23, before: None },
    Added { table: SIGNING_KEYS, column: "code", since: 22, before: None },
    Added { table: "changes", column: "digest", since: 22, before: None },
    Added { table: "audit", column: "code", since: 22, before: None },
    Added { table: "audit", column: "goes", since: RETENTION, before: None },
    Added { table: "retention", column: "claimed", since: 30, before: None },
];

/// Tables that there are since [`OLDEST`], and the schema that has them first.
const NEW: [(&str, i64); 13] = [
    ("advisories", 24),
    ("advisory_words", 24),
    ("vulnerabilities", 24),
    ("delivery_mark", 25),
    ("deliveries", 25),
    ("dead_letters", 25),
    ("advisory_imports", IMPORTS),
    ("advisory_rejections", IMPORTS),
    ("advisory_documents", IMPORTS),
    ("advisory_parts", IMPORTS),
    ("spent_events", RETENTION),
    ("retention", RETENTION),
    ("advisory_feeds", FEEDS),
];

/// The schema that knows imports of advisories.
const IMPORTS: i64 = 26;
/// The schema that removes what is old.
const RETENTION: i64 = 28;
/// The schema that knows when feeds of advisories changed.
const FEEDS: i64 = 29;

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    Null,
    Text(String),
    Int(i64),
    Bool(bool),
    Bytes(Vec<u8>),
}

/// Every table, in the order in which a restore writes them.
pub(super) static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let table = |name, key, columns| Table { name, key, columns };
    let noun = |noun: &'static Declared| table(noun.table, UID, noun.all_columns().copied().collect());
    let of = |(name, key, columns): &Listed| table(name, key, columns.to_vec());
    COUNTS.iter().map(of).chain(NOUNS.all().map(noun)).chain(OTHERS.iter().map(of)).collect()
});

const UID: &[Column] = &[text("uid")];

/// A table's name, key and columns.
type Listed = (&'static str, &'static [Column], &'static [Column]);

const COUNTS: &[Listed] =
    &[("counts", &[text("prefix"), text("noun")], &[text("prefix"), text("noun"), int("n"), int("children")])];

const OTHERS: &[Listed] = &[
    (
        "tag_history",
        &[text("tag"), int("revision")],
        &[text("tag"), int("revision"), text("parent"), text("name"), text("digest"), int("at")],
    ),
    ("advisory_words", &[text("kind"), text("word"), text("of_uid")], &[text("kind"), text("word"), text("of_uid")]),
    (
        "advisory_imports",
        UID,
        &[
            text("uid"),
            text("parent"),
            bool("approved"),
            int("documents"),
            int("imported"),
            int("unchanged"),
            int("rejected"),
            int("advisories_created"),
            int("advisories_updated"),
            int("finished_at"),
            int("created_at"),
            int("updated_at"),
            int("revision"),
        ],
    ),
    (
        "advisory_rejections",
        &[text("import_uid"), int("place")],
        &[text("import_uid"), int("place"), text("name"), text("reason")],
    ),
    (
        "advisory_documents",
        &[text("parent"), text("format"), text("record")],
        &[text("parent"), text("format"), text("record"), bytes("digest"), bytes("content")],
    ),
    ("advisory_parts", &[text("advisory")], &[text("advisory"), text("parent"), text("format"), text("record")]),
    ("advisory_feeds", &[text("org")], &[text("org"), int("changed_at"), int("revision")]),
    (
        SIGNING_KEYS,
        &[text("kid")],
        &[
            text("kid"),
            text("algorithm"),
            bytes("private_key"),
            text("public_jwk"),
            int("created_at"),
            int("not_before_at"),
            int("retired_at"),
            int("revision"),
            bytes("code"),
        ],
    ),
    ("idempotency", &[bytes("claim")], &[bytes("claim"), bytes("request"), bytes("message"), text("etag"), int("created_at")]),
    (
        "changes",
        &[int("revision"), int("ordinal")],
        &[
            int("revision"),
            int("ordinal"),
            text("noun"),
            text("uid"),
            text("op"),
            text("from_name"),
            int("from_created_at"),
            text("to_name"),
            int("to_created_at"),
            bytes("digest"),
        ],
    ),
    (
        "outbox",
        &[int("revision"), int("ordinal")],
        &[
            int("revision"),
            int("ordinal"),
            text("kind"),
            text("api_version"),
            bool("customer"),
            text("subject"),
            text("group_uid"),
            text("actor"),
            text("upstream"),
            text("snapshot"),
            int("at"),
        ],
    ),
    ("spent_events", &[int("revision"), int("ordinal")], &[int("revision"), int("ordinal"), bytes("digest")]),
    ("retention", &[int("one")], &[int("one"), int("number"), int("floor"), int("claimed")]),
    ("delivery_mark", &[int("one")], &[int("one"), int("revision"), int("ordinal")]),
    (
        "deliveries",
        &[text("subscription")],
        &[
            text("subscription"),
            int("done_revision"),
            int("done_ordinal"),
            int("target_revision"),
            int("target_ordinal"),
            int("attempts"),
            int("failing_since"),
            text("problem"),
            int("due_at"),
            text("node"),
            int("leased_until"),
        ],
    ),
    (
        "dead_letters",
        &[text("subscription"), int("revision"), int("ordinal")],
        &[
            text("subscription"),
            int("revision"),
            int("ordinal"),
            text("kind"),
            text("api_version"),
            bool("customer"),
            text("subject"),
            text("group_uid"),
            text("actor"),
            text("upstream"),
            text("snapshot"),
            int("at"),
            text("id"),
            int("attempts"),
            text("problem"),
            int("died_at"),
            int("replayed_at"),
        ],
    ),
    (
        "audit",
        // The engine numbers the rows; their order is what counts.
        &[int("id")],
        &[
            int("at"),
            int("revision"),
            text("actor"),
            text("upstream"),
            text("token_id"),
            text("method"),
            text("request_id"),
            text("peer"),
            text("noun"),
            text("subject"),
            text("op"),
            text("outcome"),
            bytes("code"),
            int("goes"),
        ],
    ),
];

pub(super) const SIGNING_KEYS: &str = "signing_keys";

/// Tables of the schema that are not copied row by row, and why.
const APART: &[(&str, &str)] = &[
    ("revision", "its one number is in the header"),
    ("schema_version", "the migrations write it; its number is in the header"),
    ("writers", "which commits the nodes of this one database have made"),
    ("sessions", "one that has ended since must not begin again: after a restore, people log in"),
];

impl Table {
    /// The columns that the table has in this schema.
    pub(super) fn columns_in(&self, schema: i64) -> Cow<'_, [Column]> {
        let is_there = |column: &&Column| self.lacks(schema, column).is_none();
        if self.columns.iter().all(|column| is_there(&column)) {
            return Cow::Borrowed(&self.columns);
        }
        self.columns.iter().filter(is_there).copied().collect()
    }

    /// A row of this schema with what its other columns have in such rows.
    pub(super) fn filled(&self, schema: i64, row: Vec<Cell>) -> Vec<Cell> {
        let mut cells = row.into_iter();
        let cell = |column: &Column| match self.lacks(schema, column) {
            Some(added) => Some(added.before.map_or(Cell::Null, |text| Cell::Text(text.to_owned()))),
            None => cells.next(),
        };
        self.columns.iter().map_while(cell).collect()
    }

    fn lacks(&self, schema: i64, column: &Column) -> Option<&'static Added> {
        ADDED.iter().find(|added| added.table == self.name && added.column == column.name && schema < added.since)
    }

    /// Whether there is such a table in this schema.
    pub(super) fn is_in(&self, schema: i64) -> bool {
        !NEW.iter().any(|(table, since)| *table == self.name && schema < *since)
    }

    pub(super) fn names(&self) -> String {
        self.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
    }

    /// The columns of [`Table::key`] that are not among the others.
    pub(super) fn hidden(&self) -> impl Iterator<Item = &Column> {
        self.key.iter().filter(|key| !self.columns.iter().any(|column| column.name == key.name))
    }
}

impl Column {
    pub(super) fn read(self, row: &Row<'_>, at: usize) -> Result<Cell> {
        Ok(match self.kind {
            ColumnKind::Text => row.opt_string(at)?.map_or(Cell::Null, Cell::Text),
            ColumnKind::Int => row.opt_int(at)?.map_or(Cell::Null, Cell::Int),
            ColumnKind::Bool => Cell::Bool(row.bool(at)?),
            ColumnKind::Bytes => row.opt_bytes(at)?.map_or(Cell::Null, |bytes| Cell::Bytes(bytes.to_vec())),
        })
    }

    /// Whether a value of a file can be in this column.
    pub(super) fn takes(self, cell: &Cell) -> bool {
        matches!(
            (self.kind, cell),
            (ColumnKind::Text | ColumnKind::Int | ColumnKind::Bytes, Cell::Null)
                | (ColumnKind::Text, Cell::Text(_))
                | (ColumnKind::Int, Cell::Int(_))
                | (ColumnKind::Bool, Cell::Bool(_))
                | (ColumnKind::Bytes, Cell::Bytes(_))
        )
    }

    pub(super) fn is_bytes(self) -> bool {
        matches!(self.kind, ColumnKind::Bytes)
    }
}

/// What it is, for messages.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Text(text) => f.write_str(text),
            Self::Int(number) => write!(f, "{number}"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Bytes(bytes) => f.write_str(&hex::encode(bytes)),
        }
    }
}

impl Cell {
    pub(super) fn param(&self) -> Param<'_> {
        match self {
            Self::Null => Param::Null,
            Self::Text(text) => text.into(),
            Self::Int(number) => (*number).into(),
            Self::Bool(value) => (*value).into(),
            Self::Bytes(bytes) => bytes.as_slice().into(),
        }
    }
}

/// Refuses to go on when the schema has something that the list above lacks: a backup without it would be none.
pub(super) async fn check_complete(reader: &mut Reader) -> Result<()> {
    let mut problems = Vec::new();
    for (table, column) in reader.columns().await? {
        if APART.iter().any(|(name, _)| *name == table) {
            continue;
        }
        let known = TABLES.iter().find(|known| known.name == table);
        if !known.is_some_and(|known| known.columns.iter().chain(known.key).any(|known| known.name == column)) {
            problems.push(format!("{table}.{column}"));
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Error::internal(format!("a backup would lack {}: add it to the tables of backups", problems.join(", "))))
    }
}
