//! Printing results: tables for people, JSON and bare ids for scripts. Everything goes to standard output here.

use std::io::{self, ErrorKind, Write};

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::exit::Failure;

mod outline;
mod table;
pub(crate) mod time;

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// For programs: lists are {"items":[…]}
    Json,
    /// The UIDs alone, one per line
    Id,
}

/// A thing that can be printed in every format.
pub(crate) trait Show {
    /// The headings of its table.
    const COLUMNS: &'static [&'static str];
    /// Its UID.
    fn id(&self) -> &str;
    /// Its cells, one per heading.
    fn row(&self) -> Vec<String>;
    /// Its JSON object, with the field names of the v1 API.
    fn json(&self) -> Value;
}

impl Format {
    /// Prints a list.
    pub(crate) fn list<T: Show>(self, items: &[T]) -> Result<(), Failure> {
        match self {
            Self::Table => text(&table::render(T::COLUMNS, items.iter().map(T::row))),
            Self::Json => json(&json!({ "items": items.iter().map(T::json).collect::<Vec<_>>() })),
            Self::Id => items.iter().try_for_each(|item| text(item.id())),
        }
    }

    /// Prints what was made or changed.
    pub(crate) fn one<T: Show>(self, item: &T) -> Result<(), Failure> {
        match self {
            Self::Table => text(&table::render(T::COLUMNS, [item.row()])),
            Self::Json => json(&item.json()),
            Self::Id => text(item.id()),
        }
    }

    /// Prints everything about one thing.
    pub(crate) fn describe<T: Show>(self, item: &T) -> Result<(), Failure> {
        match self {
            Self::Table => text(&outline::render(&item.json())),
            Self::Json | Self::Id => self.one(item),
        }
    }

    /// Prints that `id` was deleted.
    pub(crate) fn deleted(self, id: &str) -> Result<(), Failure> {
        match self {
            Self::Table => text(&format!("deleted {id}")),
            Self::Json => json(&json!({ "id": id })),
            Self::Id => text(id),
        }
    }
}

/// Prints an outline of `value`, a table of rows below it, or `value` as JSON, or `id`.
pub(crate) fn report(format: Format, id: &str, value: &Value, rows: Option<(&[&str], Vec<Vec<String>>)>) -> Result<(), Failure> {
    match (format, rows) {
        (Format::Table, Some((columns, rows))) => {
            text(&outline::render(value))?;
            if rows.is_empty() { Ok(()) } else { text(&format!("\n{}", table::render(columns, rows))) }
        }
        (Format::Table, None) => text(&outline::render(value)),
        (Format::Json, _) => json(value),
        (Format::Id, _) => text(id),
    }
}

/// Prints a line.
pub(crate) fn text(line: &str) -> Result<(), Failure> {
    bytes(format!("{line}\n").as_bytes())
}

/// Prints bytes as they are.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        // Whoever reads has seen enough: `provost … | head -1` is no failure.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::failed(format!("cannot write to standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Prints a failure, or a remark that must not mix with the result, to standard error.
pub(crate) fn remark(line: &str) {
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(io::stderr().lock(), "{line}");
}

fn json(value: &Value) -> Result<(), Failure> {
    text(&format!("{value:#}"))
}
