//! The audit log with the changes and events of its commits, in the order in which it was written.

use std::{collections::BTreeMap, ops::ControlFlow};

use database::{Param, Row};
use domain::{Result, Revision};

use crate::{
    Reader, audit,
    chain::{Code, Content, Values, event_digest},
    changes, outbox,
    table::{ColumnKind, value},
};

/// Entries that are read at once.
const PAGE: i64 = 500;
/// What is in the columns of [`audit::COLUMNS`], [`changes::SEALED`] and [`outbox::COLUMNS`].
const ENTRY: [ColumnKind; 12] = {
    let mut kinds = [ColumnKind::Text; 12];
    (kinds[0], kinds[1]) = (ColumnKind::Int, ColumnKind::Int);
    kinds
};
const CHANGE: [ColumnKind; 5] = [ColumnKind::Int, ColumnKind::Text, ColumnKind::Text, ColumnKind::Text, ColumnKind::Bytes];
const EVENT: [ColumnKind; 11] = {
    let mut kinds = [ColumnKind::Text; 11];
    (kinds[0], kinds[1], kinds[4], kinds[10]) = (ColumnKind::Int, ColumnKind::Int, ColumnKind::Bool, ColumnKind::Int);
    kinds
};

/// Reads the log page by page.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    /// The last entry that was read.
    after: i64,
    /// Entries that are marked with this number go, and are passed over.
    gone: i64,
}

/// An entry as it is stored.
#[derive(Clone, Debug)]
pub(crate) struct Logged {
    pub(crate) id: i64,
    pub(crate) revision: Option<Revision>,
    pub(crate) method: String,
    pub(crate) content: Content,
    pub(crate) code: Option<Code>,
}

impl Log {
    /// From its first entry on, without those that are marked with the number `gone`.
    pub(crate) fn without(gone: i64) -> Self {
        // Whoever numbers by hand may have begun anywhere.
        Self { after: i64::MIN, gone }
    }

    /// The next entries; none at the end.
    ///
    /// # Errors
    /// Internal when the storage fails, or holds what it cannot.
    pub(crate) async fn page(&mut self, reader: &mut Reader) -> Result<Vec<Logged>> {
        let sql = format!(
            "SELECT id, {}, code FROM audit WHERE id > $1 AND (goes IS NULL OR goes <> $3) ORDER BY id LIMIT $2",
            audit::COLUMNS
        );
        let mut page = reader.query_map(&sql, &[self.after.into(), PAGE.into(), self.gone.into()], read).await?;
        self.after = page.last().map_or(self.after, |last| last.id);
        let mut commits: BTreeMap<_, (Values, BTreeMap<_, _>)> =
            page.iter().filter_map(|logged| Some((logged.revision?.0, Default::default()))).collect();
        if let (Some((first, _)), Some((last, _))) = (commits.first_key_value(), commits.last_key_value()) {
            let range = [(*first).into(), (*last).into()];
            let of = |columns, table| {
                format!(
                    "SELECT revision, {columns} FROM {table} WHERE revision >= $1 AND revision <= $2 ORDER BY revision, ordinal"
                )
            };
            let spent = |row: &Row<'_>| Ok((row.int(0)?, row.int(1)?, row.bytes(2)?.to_vec()));
            let spent = reader.query_map(&of("ordinal, digest", "spent_events"), &range, spent).await?;
            let add = |row: &Row<'_>| {
                if let Some((changes, _)) = commits.get_mut(&row.int(0)?) {
                    changes.add(&values(row, 1, &CHANGE)?);
                }
                Ok(ControlFlow::Continue(()))
            };
            reader.query_while(&of(changes::SEALED, "changes"), &range, add).await?;
            let add = |row: &Row<'_>| {
                if let Some((_, events)) = commits.get_mut(&row.int(0)?) {
                    events.insert(row.int(2)?, event_digest(&values(row, 1, &EVENT)?));
                }
                Ok(ControlFlow::Continue(()))
            };
            reader.query_while(&of(outbox::COLUMNS, "outbox"), &range, add).await?;
            for (revision, ordinal, digest) in spent {
                if let Some((_, events)) = commits.get_mut(&revision) {
                    events.insert(ordinal, Param::Bytes(digest.into()));
                }
            }
        }
        for logged in &mut page {
            if let Some((changes, events)) = logged.revision.and_then(|revision| commits.get(&revision.0)) {
                logged.content.changes = changes.clone();
                logged.content.events.add(&events.values().cloned().collect::<Vec<_>>());
            }
        }
        Ok(page)
    }
}

fn read(row: &Row<'_>) -> Result<Logged> {
    let audit = row.from(1);
    Ok(Logged {
        id: row.int(0)?,
        revision: audit.opt_int(1)?.map(Revision),
        method: audit.string(5)?,
        content: Content::of(&values(row, 1, &ENTRY)?),
        code: row.opt_bytes(1 + ENTRY.len())?.map(Code::of_bytes),
    })
}

fn values<'r>(row: &Row<'r>, first: usize, kinds: &[ColumnKind]) -> Result<Vec<Param<'r>>> {
    kinds.iter().zip(first..).map(|(kind, column)| value(row, column, *kind)).collect()
}
