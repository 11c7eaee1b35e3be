//! Printing results: tables and trees for people, JSON, CSV and bare ids for scripts. Everything goes to standard output here.

use std::{
    collections::BTreeMap,
    io::{self, ErrorKind, IsTerminal, Write},
};

use clap::ValueEnum;
use console::Term;
use serde_json::{Value, json};

use self::table::Fit;
use crate::{
    exit::{Exit, Failure},
    plain::{self, plain},
};

mod csv;
mod list;
mod outline;
mod table;
pub(crate) mod time;
mod tree;

pub(crate) use list::List;

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// The same with every column, and nothing cut
    Wide,
    /// For programs: lists are {"items":[…]}
    Json,
    /// The UIDs alone, one per line
    Id,
    /// For spreadsheets
    Csv,
    /// What lies below what
    Tree,
}

/// A thing that can be printed in every format.
pub(crate) trait Show {
    /// The headings of its table.
    const COLUMNS: &'static [&'static str];
    /// The headings where there is room for everything.
    const WIDE: &'static [&'static str] = Self::COLUMNS;
    /// Whether the last column is to be read in full: it is continued in further lines instead of being cut.
    const PROSE: bool = false;
    /// Its UID.
    fn id(&self) -> &str;
    /// What it is called in a tree, beside its UID.
    fn label(&self) -> String {
        self.id().to_owned()
    }
    /// Its cells, one for each of [`Show::COLUMNS`].
    fn row(&self) -> Vec<String>;
    /// Its cells where there is room for everything, one for each of [`Show::WIDE`].
    fn record(&self) -> Vec<String> {
        self.row()
    }
    /// Its JSON object, with the field names of the v1 API.
    fn json(&self) -> Value;
}

impl Format {
    /// The name that `--output` takes.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Wide => "wide",
            Self::Json => "json",
            Self::Id => "id",
            Self::Csv => "csv",
            Self::Tree => "tree",
        }
    }

    /// Prints a list that is at hand.
    pub(crate) fn list<T: Show>(self, items: &[T]) -> Result<(), Failure> {
        let mut list = List::new(self)?;
        items.iter().try_for_each(|item| list.add(item))?;
        list.end()
    }

    /// Prints what was made or changed.
    pub(crate) fn one<T: Show>(self, item: &T) -> Result<(), Failure> {
        match self {
            Self::Json => json(&item.json()),
            Self::Id => text(&plain(item.id())),
            Self::Wide => text(&table::render(T::WIDE, [item.record()], None)),
            Self::Table | Self::Csv | Self::Tree => text(&table::render(T::COLUMNS, [item.row()], fit::<T>())),
        }
    }

    /// Prints everything about one thing; for programs, the entity tag of what is shown as well.
    pub(crate) fn describe<T: Show>(self, item: &T, etag: Option<&str>) -> Result<(), Failure> {
        match self {
            Self::Json => {
                let mut value = item.json();
                if let (Some(fields), Some(etag)) = (value.as_object_mut(), etag) {
                    fields.insert("etag".to_owned(), etag.into());
                }
                json(&value)
            }
            Self::Id => self.one(item),
            Self::Table | Self::Wide | Self::Csv | Self::Tree => text(&outline::render(&item.json())),
        }
    }

    /// Prints that `id` was deleted, or after a rehearsal that it could be.
    pub(crate) fn deleted(self, id: &str, rehearsed: bool) -> Result<(), Failure> {
        match self {
            Self::Json => json(&json!({ "id": id })),
            Self::Id => text(id),
            Self::Table | Self::Wide | Self::Csv | Self::Tree => {
                text(&format!("{} {id}", if rehearsed { "would delete" } else { "deleted" }))
            }
        }
    }
}

/// Prints an outline of `value`, a table of rows below it, or `value` as JSON, or `id`.
pub(crate) fn report(format: Format, id: &str, value: &Value, rows: Option<(&[&str], Vec<Vec<String>>)>) -> Result<(), Failure> {
    match (format, rows) {
        (Format::Json, _) => json(value),
        (Format::Id, _) => text(&plain(id)),
        (Format::Table | Format::Wide | Format::Csv | Format::Tree, Some((columns, rows))) if !rows.is_empty() => {
            let fit = width().map(|width| Fit { width, prose: false });
            text(&format!("{}\n\n{}", outline::render(value), table::render(columns, rows, fit)))
        }
        (Format::Table | Format::Wide | Format::Csv | Format::Tree, _) => text(&outline::render(value)),
    }
}

/// Prints the tree of `labels` by UID.
pub(crate) fn tree(labels: &BTreeMap<String, String>) -> Result<(), Failure> {
    if labels.is_empty() { nothing_found("") } else { text(&tree::render(labels, width())) }
}

/// Ends a list without items: people read so, and programs get `otherwise`, if that is anything.
fn nothing_found(otherwise: &str) -> Result<(), Failure> {
    if io::stdout().is_terminal() {
        return text("nothing found");
    }
    if otherwise.is_empty() { Ok(()) } else { text(otherwise) }
}

/// Prints a line.
pub(crate) fn text(line: &str) -> Result<(), Failure> {
    bytes(format!("{line}\n").as_bytes())
}

/// Prints a line for whoever still reads; that nobody does is no failure.
pub(crate) fn announce(line: &str) -> Result<(), Failure> {
    match text(line) {
        Err(failure) if failure.exit == Exit::Done => Ok(()),
        told => told,
    }
}

/// Prints bytes as they are.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::reader_left()),
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
    text(&plain::json(&format!("{value:#}")))
}

/// The terminal's room for a table of `T`; `None` when standard output is no terminal.
fn fit<T: Show>() -> Option<Fit> {
    width().map(|width| Fit { width, prose: T::PROSE })
}

/// How many columns the terminal has that standard output is; `None` when it is none.
fn width() -> Option<usize> {
    Term::stdout().size_checked().map(|(_, columns)| usize::from(columns))
}
