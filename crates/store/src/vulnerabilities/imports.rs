//! Imports of advisories: how far they have come, what they have rejected, and the documents as they came.

use database::{Param, Row};
use domain::{
    Result, Scopes, Timestamp, Uidp,
    vulnerabilities::{AdvisoryImport, Document, DocumentFormat, ImportTally, Rejection},
};

use super::changed;
use crate::{Reader, Writer};

/// How many imports of a group are kept: a new one takes the oldest away. What it has imported stays.
pub const KEPT: i64 = 10;
/// How many rejected documents of an import are kept.
pub const REJECTIONS: i64 = 500;

/// The SHA-256 of a document.
pub type Digest = [u8; 32];

/// Which document of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    /// The group.
    pub parent: &'a Uidp,
    /// What it is written in.
    pub format: DocumentFormat,
    /// Its id.
    pub record: &'a str,
}

const COLUMNS: &str = "uid, approved, documents, imported, unchanged, rejected, advisories_created, advisories_updated, finished_at, \
                       created_at, updated_at, revision";

/// The import with this identifier, if it is kept.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get(reader: &mut Reader, uid: &Uidp) -> Result<Option<AdvisoryImport>> {
    let sql = format!("SELECT {COLUMNS} FROM advisory_imports WHERE uid = $1");
    reader.query_one(&sql, &[uid.into()], read).await
}

fn read(row: &Row<'_>) -> Result<AdvisoryImport> {
    let count = |column| row.int(column).map(|count| u64::try_from(count).unwrap_or_default());
    let finished_at = row.time(8)?;
    Ok(AdvisoryImport {
        uid: row.uidp(0)?,
        is_approved: row.bool(1)?,
        tally: ImportTally {
            documents: count(2)?,
            imported: count(3)?,
            unchanged: count(4)?,
            rejected: count(5)?,
            created: count(6)?,
            updated: count(7)?,
        },
        finished_at: (finished_at != Timestamp::default()).then_some(finished_at),
        created_at: row.time(9)?,
        updated_at: row.time(10)?,
        revision: row.revision(11)?,
    })
}

/// Adds an import, and forgets the oldest ones of its group beyond [`KEPT`].
///
/// # Errors
/// Internal when the storage fails.
pub async fn add(tx: &mut Writer, import: &AdvisoryImport) -> Result<()> {
    let parent = import.uid.parent_text();
    let old = "SELECT uid FROM advisory_imports WHERE parent = $1 ORDER BY created_at DESC, uid DESC LIMIT $2 OFFSET $3";
    let old = tx.query_map(old, &[parent.into(), KEPT.into(), (KEPT - 1).into()], |row| row.uidp(0)).await?;
    for uid in &old {
        tx.send("DELETE FROM advisory_rejections WHERE import_uid = $1", &[uid.into()]).await?;
        tx.send("DELETE FROM advisory_imports WHERE uid = $1", &[uid.into()]).await?;
    }
    let sql = format!(
        "INSERT INTO advisory_imports (parent, {COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
    );
    let mut params: Vec<Param<'_>> = vec![parent.into(), (&import.uid).into(), import.is_approved.into()];
    params.extend(counts(&import.tally).map(Param::from));
    params.extend([
        import.finished_at.unwrap_or_default().into(),
        import.created_at.into(),
        import.updated_at.into(),
        import.revision.into(),
    ]);
    tx.send(&sql, &params).await
}

fn counts(tally: &ImportTally) -> [i64; 6] {
    let ImportTally { documents, imported, unchanged, rejected, created, updated } = *tally;
    [documents, imported, unchanged, rejected, created, updated].map(|count| i64::try_from(count).unwrap_or(i64::MAX))
}

/// Writes how far an import has come.
///
/// # Errors
/// Internal when the storage fails.
pub async fn update(tx: &mut Writer, import: &AdvisoryImport) -> Result<()> {
    let sql = "UPDATE advisory_imports SET documents = $2, imported = $3, unchanged = $4, rejected = $5, advisories_created = $6, \
               advisories_updated = $7, finished_at = $8, updated_at = $9, revision = $10 WHERE uid = $1";
    let mut params: Vec<Param<'_>> = vec![(&import.uid).into()];
    params.extend(counts(&import.tally).map(Param::from));
    params.extend([import.finished_at.unwrap_or_default().into(), import.updated_at.into(), import.revision.into()]);
    tx.send(sql, &params).await
}

/// Remembers that a document was rejected, as far as [`REJECTIONS`] of the import were not before: it has this many.
///
/// # Errors
/// Internal when the storage fails.
pub async fn reject(tx: &mut Writer, import: &Uidp, before: u64, rejection: &Rejection) -> Result<()> {
    if i64::try_from(before).unwrap_or(i64::MAX) >= REJECTIONS {
        return Ok(());
    }
    let place = i64::try_from(rejection.position).unwrap_or(i64::MAX);
    let params = [import.into(), place.into(), (&rejection.name).into(), (&rejection.reason).into()];
    tx.send("INSERT INTO advisory_rejections (import_uid, place, name, reason) VALUES ($1, $2, $3, $4)", &params).await
}

/// What an import has rejected, as far as that is kept.
///
/// # Errors
/// Internal when the storage fails.
pub async fn rejections(reader: &mut Reader, import: &Uidp) -> Result<Vec<Rejection>> {
    let sql = "SELECT place, name, reason FROM advisory_rejections WHERE import_uid = $1 ORDER BY place";
    let read = |row: &Row<'_>| {
        let position = u64::try_from(row.int(0)?).unwrap_or_default();
        Ok(Rejection { position, name: row.string(1)?, reason: row.string(2)? })
    };
    reader.query_map(sql, &[import.into()], read).await
}

/// The digest of the document as it came last, if it came.
///
/// # Errors
/// Internal when the storage fails.
pub async fn digest(reader: &mut Reader, key: Key<'_>) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT digest FROM advisory_documents WHERE parent = $1 AND format = $2 AND record = $3";
    let params = [key.parent.into(), key.format.as_str().into(), key.record.into()];
    reader.query_one(sql, &params, |row| Ok(row.bytes(0)?.to_vec())).await
}

/// Keeps a document as it came, instead of what came before under its id.
///
/// # Errors
/// Internal when the storage fails.
pub async fn keep(tx: &mut Writer, key: Key<'_>, digest: &Digest, content: &[u8]) -> Result<()> {
    let sql = "INSERT INTO advisory_documents (parent, format, record, digest, content) VALUES ($1, $2, $3, $4, $5) \
               ON CONFLICT (parent, format, record) DO UPDATE SET digest = excluded.digest, content = excluded.content";
    let params = [key.parent.into(), key.format.as_str().into(), key.record.into(), digest.as_slice().into(), content.into()];
    tx.send(sql, &params).await?;
    changed::touch(tx, key.parent.root_text()).await
}

/// Remembers that an advisory is a part of the document.
///
/// # Errors
/// Internal when the storage fails.
pub async fn link(tx: &mut Writer, key: Key<'_>, advisory: &Uidp) -> Result<()> {
    let sql = "INSERT INTO advisory_parts (advisory, parent, format, record) VALUES ($1, $2, $3, $4)";
    let params = [advisory.into(), key.parent.into(), key.format.as_str().into(), key.record.into()];
    tx.send(sql, &params).await
}

/// Whether the advisory is a part of the document.
///
/// # Errors
/// Internal when the storage fails.
pub async fn is_linked(reader: &mut Reader, key: Key<'_>, advisory: &Uidp) -> Result<bool> {
    let sql = "SELECT 1 FROM advisory_parts WHERE advisory = $1 AND parent = $2 AND format = $3 AND record = $4";
    let params = [advisory.into(), key.parent.into(), key.format.as_str().into(), key.record.into()];
    reader.exists(sql, &params).await
}

/// Whether the group has an advisory with this public id.
///
/// # Errors
/// Internal when the storage fails.
pub async fn is_own(reader: &mut Reader, parent: &Uidp, public_id: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM advisories WHERE advisory_id = $1 AND parent = $2";
    reader.exists(sql, &[public_id.into(), parent.into()]).await
}

/// Documents of a group that came in this format, behind this id: so many at most.
///
/// # Errors
/// Internal when the storage fails.
pub async fn documents(reader: &mut Reader, key: Key<'_>, most: usize) -> Result<Vec<Document>> {
    let sql = "SELECT record, content FROM advisory_documents WHERE parent = $1 AND format = $2 AND record > $3 \
               ORDER BY record LIMIT $4";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let params = [key.parent.into(), key.format.as_str().into(), key.record.into(), most.into()];
    let read = |row: &Row<'_>| Ok(Document { name: row.string(0)?, content: row.bytes(1)?.to_vec() });
    reader.query_map(sql, &params, read).await
}

/// Places asked for by one statement.
const CHUNK: usize = 100;

/// When documents were last imported somewhere in these places, if they were.
///
/// # Errors
/// Internal when the storage fails.
pub async fn newest(reader: &mut Reader, places: &Scopes) -> Result<Option<Timestamp>> {
    const NEWEST: &str = "SELECT max(updated_at) FROM advisory_imports";
    let places = match places {
        Scopes::All => {
            return Ok(reader.query_one(NEWEST, &[], |row| row.opt_time(0)).await?.flatten());
        }
        Scopes::Subtrees(places) => places,
    };
    let mut newest = None;
    for chunk in places.chunks(CHUNK) {
        let below = (1..=chunk.len())
            .map(|n| format!("(parent >= ${n} AND parent < ${n} || '0' AND (parent = ${n} OR parent > ${n} || '/'))"));
        let sql = format!("{NEWEST} WHERE {}", below.collect::<Vec<_>>().join(" OR "));
        let params: Vec<Param<'_>> = chunk.iter().map(Param::from).collect();
        newest = newest.max(reader.query_one(&sql, &params, |row| row.opt_time(0)).await?.flatten());
    }
    Ok(newest)
}

/// Removes what a group that goes has of imports.
pub(super) async fn go_with(tx: &mut Writer, group: &Uidp) -> Result<()> {
    let rejections = "DELETE FROM advisory_rejections WHERE import_uid IN (SELECT uid FROM advisory_imports WHERE parent = $1)";
    tx.send(rejections, &[group.into()]).await?;
    for table in ["advisory_parts", "advisory_documents", "advisory_imports"] {
        tx.send(&format!("DELETE FROM {table} WHERE parent = $1"), &[group.into()]).await?;
    }
    Ok(())
}
