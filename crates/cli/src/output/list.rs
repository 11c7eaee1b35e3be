//! Lists, printed as they arrive where the format allows.

use std::marker::PhantomData;

use super::{Format, Show, bytes, csv, fit, nothing_found, table, text};
use crate::{
    exit::Failure,
    plain::{self, plain},
};

/// A list that is being printed.
#[derive(Debug)]
pub(crate) struct List<T> {
    format: Format,
    /// What a table needs to know before it can be drawn.
    rows: Vec<Vec<String>>,
    empty: bool,
    of: PhantomData<T>,
}

impl<T: Show> List<T> {
    /// Begins a list.
    pub(crate) fn new(format: Format) -> Result<Self, Failure> {
        if format == Format::Csv {
            let headings: Vec<_> = T::WIDE.iter().map(|heading| heading.to_lowercase().replace(' ', "_")).collect();
            bytes(csv::record(headings).as_bytes())?;
        }
        Ok(Self { format, rows: Vec::new(), empty: true, of: PhantomData })
    }

    /// Adds an item.
    ///
    /// # Errors
    /// When it cannot be printed, for example because whoever reads has seen enough.
    pub(crate) fn add(&mut self, item: &T) -> Result<(), Failure> {
        let first = std::mem::replace(&mut self.empty, false);
        match self.format {
            Format::Table | Format::Tree => {
                self.rows.push(item.row());
                Ok(())
            }
            Format::Wide => {
                self.rows.push(item.record());
                Ok(())
            }
            Format::Id => text(&plain(item.id())),
            Format::Csv => bytes(csv::record(item.record()).as_bytes()),
            Format::Json => {
                let begin = if first { "{\n  \"items\": [\n" } else { ",\n" };
                let object = format!("{:#}", item.json());
                let indented = object.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n");
                bytes(format!("{begin}{}", plain::json(&indented)).as_bytes())
            }
        }
    }

    /// Ends the list.
    pub(crate) fn end(self) -> Result<(), Failure> {
        match self.format {
            Format::Table | Format::Tree if self.empty => nothing_found(&table::render(T::COLUMNS, [], None)),
            Format::Wide if self.empty => nothing_found(&table::render(T::WIDE, [], None)),
            Format::Table | Format::Tree => text(&table::render(T::COLUMNS, self.rows, fit::<T>())),
            Format::Wide => text(&table::render(T::WIDE, self.rows, None)),
            Format::Json if self.empty => text("{\n  \"items\": []\n}"),
            Format::Json => text("\n  ]\n}"),
            Format::Id | Format::Csv => Ok(()),
        }
    }
}
