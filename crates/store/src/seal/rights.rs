//! What rights follow from, row by row, beside what the feed keeps of it.

use database::{Param, Row};
use domain::{Result, Revision};

use crate::{
    Reader, Writer,
    chain::RightsDigest,
    nouns::NOUNS,
    table::{Declared, Fit, compare, rights_digest, value},
};

/// Rows that are read at once.
const PAGE: i64 = 500;

/// Reads the rows of a noun that rights follow from, page by page.
#[derive(Debug)]
pub(crate) struct Rights {
    pub(crate) noun: &'static Declared,
    after: String,
    ended: bool,
}

/// A row of which the feed keeps no digest, another one, or one of an earlier form.
#[derive(Clone, Debug)]
pub(crate) struct Stale {
    pub(crate) uid: String,
    pub(crate) revision: Revision,
    /// What it is beside what the feed keeps; never [`Fit::Whole`].
    pub(crate) fit: Fit,
    noun: &'static str,
    digest: RightsDigest,
}

impl Rights {
    /// Every noun that has such rows.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let nouns = NOUNS.all().filter(|noun| noun.rights().next().is_some());
        nouns.map(|noun| Self { noun, after: String::new(), ended: false })
    }

    /// Those of the next rows of which the feed keeps no digest, another one, or one of an earlier form; `None` behind the last row. What the feed does not tell
    /// of at all is found elsewhere.
    ///
    /// # Errors
    /// Internal when the storage fails, or holds what it cannot.
    pub(crate) async fn page(&mut self, reader: &mut Reader) -> Result<Option<Vec<Stale>>> {
        if self.ended {
            return Ok(None);
        }
        let columns: Vec<_> = self.noun.rights().map(|column| format!("t.{}", column.name)).collect();
        let (table, noun) = (self.noun.table, self.noun.noun.as_str());
        let sql = format!(
            "SELECT t.uid, t.revision, c.digest, c.uid, {} FROM {table} t LEFT JOIN changes c \
             ON c.revision = t.revision AND c.noun = '{noun}' AND c.uid = t.uid AND c.op <> 'rebound' \
             WHERE t.uid > $1 ORDER BY t.uid LIMIT $2",
            columns.join(", ")
        );
        let params = [(&self.after).into(), PAGE.into()];
        let declared = self.noun;
        let rows = reader.query_map(&sql, &params, |row| Ok((row.string(0)?, stale(declared, row)?))).await?;
        match rows.last() {
            Some((uid, _)) => self.after.clone_from(uid),
            None => self.ended = true,
        }
        Ok(Some(rows.into_iter().filter_map(|(_, stale)| stale).collect()))
    }
}

impl Stale {
    /// Has the feed keep the digest of the row as it is.
    pub(crate) async fn refresh(self, tx: &mut Writer) -> Result<()> {
        let sql = "UPDATE changes SET digest = $4 WHERE revision = $1 AND noun = $2 AND uid = $3 AND op <> 'rebound'";
        tx.send(sql, &[self.revision.into(), self.noun.into(), (&self.uid).into(), self.digest.as_bytes().into()]).await
    }
}

fn stale(noun: &'static Declared, row: &Row<'_>) -> Result<Option<Stale>> {
    if row.opt_text(3)?.is_none() {
        return Ok(None);
    }
    let (uid, kept) = (row.string(0)?, row.opt_bytes(2)?);
    let values: Vec<Param<'_>> = noun.rights().zip(4..).map(|(column, at)| value(row, at, column.kind)).collect::<Result<_>>()?;
    let fit = compare(noun, &uid, &values, kept);
    let digest = rights_digest(noun, &uid, &values);
    let revision = row.revision(1)?;
    Ok((fit != Fit::Whole).then(|| Stale { uid, revision, fit, noun: noun.noun.as_str(), digest }))
}
