//! Which tables a backup holds, column by column, the same for every engine.
//!
//! Referenced tables come before those that refer to them: a restore writes in this order.

use std::fmt;

use domain::{Error, Result};

use crate::{
    Reader,
    engine::{Param, Row},
};

/// A table.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    /// What identifies a row and gives its place in the backup.
    pub(super) key: &'static [Column],
    pub(super) columns: &'static [Column],
}

/// A column and what is in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) name: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Text,
    Int,
    Bool,
    Bytes,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    Null,
    Text(String),
    Int(i64),
    Bool(bool),
    Bytes(Vec<u8>),
}

const fn text(name: &'static str) -> Column {
    Column { name, kind: Kind::Text }
}

const fn int(name: &'static str) -> Column {
    Column { name, kind: Kind::Int }
}

const fn bool(name: &'static str) -> Column {
    Column { name, kind: Kind::Bool }
}

const fn bytes(name: &'static str) -> Column {
    Column { name, kind: Kind::Bytes }
}

pub(super) const TABLES: &[Table] = &[
    Table {
        name: "counts",
        key: &[text("prefix"), text("noun")],
        columns: &[text("prefix"), text("noun"), int("n"), int("children")],
    },
    Table {
        name: "groups",
        key: &[text("uid")],
        columns: &[
            text("uid"),
            text("parent"),
            text("org"),
            text("name"),
            text("description"),
            bool("verified"),
            text("kind"),
            text("status"),
            int("created_at"),
            int("updated_at"),
            int("revision"),
        ],
    },
    Table {
        name: "identities",
        key: &[text("uid")],
        columns: &[
            text("uid"),
            text("parent"),
            text("org"),
            text("name"),
            text("description"),
            text("company"),
            text("email"),
            text("email_unverified"),
            text("relationship_type"),
            text("relationship"),
            int("relationship_revision"),
            int("last_seen_at"),
            int("created_at"),
            int("updated_at"),
            int("revision"),
        ],
    },
    Table {
        name: "roles",
        key: &[text("uid")],
        columns: &[
            text("uid"),
            text("parent"),
            text("org"),
            text("name"),
            text("description"),
            text("capabilities"),
            int("created_at"),
            int("updated_at"),
            int("revision"),
        ],
    },
    Table {
        name: "role_bindings",
        key: &[text("uid")],
        columns: &[
            text("uid"),
            text("parent"),
            text("org"),
            text("identity"),
            text("role"),
            int("created_at"),
            int("updated_at"),
            int("revision"),
        ],
    },
    Table {
        name: "repos",
        key: &[text("uid")],
        columns: &[
            text("uid"),
            text("parent"),
            text("org"),
            text("name"),
            text("description"),
            text("catalog_tier"),
            text("bundles"),
            text("aliases"),
            text("active_tags"),
            text("sync_config"),
            text("custom_overlay"),
            int("created_at"),
            int("updated_at"),
            int("revision"),
        ],
    },
    Table {
        name: SIGNING_KEYS,
        key: &[text("kid")],
        columns: &[
            text("kid"),
            text("algorithm"),
            bytes("private_key"),
            text("public_jwk"),
            int("created_at"),
            int("not_before_at"),
            int("retired_at"),
            int("revision"),
        ],
    },
    Table {
        name: "idempotency",
        key: &[bytes("claim")],
        columns: &[bytes("claim"), bytes("request"), bytes("message"), text("etag"), int("created_at")],
    },
    Table {
        name: "changes",
        key: &[int("revision"), int("ordinal")],
        columns: &[
            int("revision"),
            int("ordinal"),
            text("noun"),
            text("uid"),
            text("op"),
            text("from_name"),
            int("from_created_at"),
            text("to_name"),
            int("to_created_at"),
        ],
    },
    Table {
        name: "outbox",
        key: &[int("revision"), int("ordinal")],
        columns: &[
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
    },
    Table {
        name: "audit",
        // The engine numbers the rows; their order is what counts.
        key: &[int("id")],
        columns: &[
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
        ],
    },
];

pub(super) const SIGNING_KEYS: &str = "signing_keys";

/// Tables of the schema that are not copied row by row, and why.
const APART: &[(&str, &str)] = &[
    ("revision", "its one number is in the header"),
    ("schema_version", "the migrations write it; its number is in the header"),
    ("writers", "which commits the nodes of this one database have made"),
];

impl Table {
    pub(super) fn names(&self) -> String {
        self.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
    }

    /// The columns of [`Table::key`] that are not among the others.
    pub(super) fn hidden(&self) -> impl Iterator<Item = &'static Column> {
        self.key.iter().filter(|key| !self.columns.iter().any(|column| column.name == key.name))
    }
}

impl Column {
    pub(super) fn read(self, row: &Row<'_>, at: usize) -> Result<Cell> {
        Ok(match self.kind {
            Kind::Text => row.opt_string(at)?.map_or(Cell::Null, Cell::Text),
            Kind::Int => row.opt_int(at)?.map_or(Cell::Null, Cell::Int),
            Kind::Bool => Cell::Bool(row.bool(at)?),
            Kind::Bytes => row.opt_bytes(at)?.map_or(Cell::Null, |bytes| Cell::Bytes(bytes.to_vec())),
        })
    }

    /// Whether a value of a file can be in this column.
    pub(super) fn takes(self, cell: &Cell) -> bool {
        matches!(
            (self.kind, cell),
            (Kind::Text | Kind::Int | Kind::Bytes, Cell::Null)
                | (Kind::Text, Cell::Text(_))
                | (Kind::Int, Cell::Int(_))
                | (Kind::Bool, Cell::Bool(_))
                | (Kind::Bytes, Cell::Bytes(_))
        )
    }

    pub(super) fn is_bytes(self) -> bool {
        matches!(self.kind, Kind::Bytes)
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
