//! What feeds are made from: what is published of a group and all below it, in an order of its own, a page at a time.

use std::{collections::BTreeMap, ops::ControlFlow};

use database::{Param, Row};
use domain::{
    Result, Timestamp, Uidp,
    vulnerabilities::{Advisory, DocumentFormat, EventType, ReviewState},
};

use super::advisories::DECLARED;
pub use super::changed::{State, state};
use crate::{
    Reader, counts,
    table::{Columns, Entity as _},
};

/// Bytes after which a page gets no further document.
const BYTES: usize = 4 << 20;
/// The most documents, or advisories, of a page.
const PAGE: usize = 200;

/// A document of others, and what is published of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    /// The group that it was imported into.
    pub parent: Uidp,
    /// Its id.
    pub record: String,
    /// Its bytes.
    pub content: Vec<u8>,
    /// What it says about each package.
    pub parts: Vec<Part>,
}

/// How an advisory stands that a document has made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Type and name of the artifact.
    pub package: (String, String),
    /// Whether an event of it was approved.
    pub is_approved: bool,
    /// What its latest approved event says.
    pub latest: Option<EventType>,
    /// When it was withdrawn.
    pub withdrawn_at: Option<Timestamp>,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Which document of a group is the last one of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    parent: String,
    record: String,
}

impl Place {
    fn of(original: &Original) -> Self {
        Self { parent: original.parent.to_string(), record: original.record.clone() }
    }
}

/// OSV documents in this group and below it, behind that place, in the order of groups and ids; and where the page ends, if there may be
/// more.
///
/// # Errors
/// Internal when the storage fails.
pub async fn originals(reader: &mut Reader, group: &Uidp, behind: &Place) -> Result<(Vec<Original>, Option<Place>)> {
    let (mut found, next) = documents(reader, group, DocumentFormat::Osv, behind).await?;
    if let (Some(first), Some(last)) = (found.first(), found.last()) {
        let mut parts = parts(reader, &Place::of(first), &Place::of(last)).await?;
        for original in &mut found {
            original.parts = parts.remove(&Place::of(original)).unwrap_or_default();
        }
    }
    Ok((found, next))
}

/// OpenVEX documents in this group and below it, with the advisories that they have made, as [`originals`].
///
/// # Errors
/// Internal when the storage fails.
pub async fn statements(
    reader: &mut Reader,
    group: &Uidp,
    behind: &Place,
) -> Result<(Vec<(Original, Vec<Advisory>)>, Option<Place>)> {
    let (found, next) = documents(reader, group, DocumentFormat::OpenVex, behind).await?;
    let (Some(first), Some(last)) = (found.first(), found.last()) else { return Ok((Vec::new(), next)) };
    let columns = DECLARED.statements().columns_of("a");
    let sql = format!(
        "SELECT p.parent, p.record, {columns} FROM advisory_parts p JOIN advisories a ON a.uid = p.advisory \
         WHERE (p.parent, p.format, p.record) >= ($1, 'openvex', $2) AND (p.parent, p.format, p.record) <= ($3, 'openvex', $4) \
         AND p.format = 'openvex' ORDER BY p.parent, p.record, a.uid"
    );
    let params =
        [first.parent.as_str().into(), first.record.as_str().into(), last.parent.as_str().into(), last.record.as_str().into()];
    let mut made = BTreeMap::<_, Vec<_>>::new();
    let read = |row: &Row<'_>| {
        let place = Place { parent: row.string(0)?, record: row.string(1)? };
        Ok((place, Advisory::read(&mut Columns::of(row, 2))?))
    };
    for (place, advisory) in reader.query_map(&sql, &params, read).await? {
        made.entry(place).or_default().push(advisory);
    }
    let with_made = |original: Original| {
        let made = made.remove(&Place::of(&original)).unwrap_or_default();
        (original, made)
    };
    Ok((found.into_iter().map(with_made).collect(), next))
}

/// Documents of this format, without what they have made.
async fn documents(
    reader: &mut Reader,
    group: &Uidp,
    format: DocumentFormat,
    behind: &Place,
) -> Result<(Vec<Original>, Option<Place>)> {
    // All that is inside has a slash behind the group, and the digit 0 follows that.
    let sql = "SELECT parent, record, content FROM advisory_documents WHERE (parent, format, record) > ($1, $5, $2) \
               AND parent < $3 AND format = $5 ORDER BY parent, format, record LIMIT $4";
    let from = if behind.parent.is_empty() { group.as_str() } else { &behind.parent };
    let end = format!("{group}0");
    let most = i64::try_from(PAGE).unwrap_or(i64::MAX);
    let (mut found, mut bytes) = (Vec::<Original>::new(), 0);
    let mut is_whole = true;
    let params = [from.into(), behind.record.as_str().into(), end.as_str().into(), most.into(), format.as_str().into()];
    let read = |row: &Row<'_>| {
        if bytes > BYTES {
            is_whole = false;
            return Ok(ControlFlow::Break(()));
        }
        let content = row.bytes(2)?.to_vec();
        bytes += content.len();
        found.push(Original { parent: row.uidp(0)?, record: row.string(1)?, content, parts: Vec::new() });
        Ok(ControlFlow::Continue(()))
    };
    reader.query_while(sql, &params, read).await?;
    let is_end = is_whole && found.len() < PAGE;
    let next = found.last().filter(|_| !is_end).map(Place::of);
    Ok((found, next))
}

/// The parts of OSV documents from one to the other.
async fn parts(reader: &mut Reader, first: &Place, last: &Place) -> Result<BTreeMap<Place, Vec<Part>>> {
    let sql = format!(
        "SELECT p.parent, p.record, {PART} FROM advisory_parts p JOIN advisories a ON a.uid = p.advisory \
         WHERE (p.parent, p.format, p.record) >= ($1, 'osv', $2) AND (p.parent, p.format, p.record) <= ($3, 'osv', $4) \
         AND p.format = 'osv' ORDER BY p.parent, p.record, a.uid"
    );
    let params =
        [first.parent.as_str().into(), first.record.as_str().into(), last.parent.as_str().into(), last.record.as_str().into()];
    let mut found = BTreeMap::<_, Vec<_>>::new();
    let read = |row: &Row<'_>| Ok((Place { parent: row.string(0)?, record: row.string(1)? }, part(row, 2)?));
    for (place, part) in reader.query_map(&sql, &params, read).await? {
        found.entry(place).or_default().push(part);
    }
    Ok(found)
}

const PART: &str = "a.artifact_type, a.artifact_name, a.review_states, a.latest_event_type, a.withdrawn_at, a.updated_at";

fn part(row: &Row<'_>, at: usize) -> Result<Part> {
    let withdrawn_at = row.time(at + 4)?;
    Ok(Part {
        package: (row.string(at)?, row.string(at + 1)?),
        is_approved: row.int(at + 2)? & ReviewState::Approved.bit() != 0,
        latest: i32::try_from(row.int(at + 3)?).ok().and_then(EventType::numbered),
        withdrawn_at: (withdrawn_at != Timestamp::default()).then_some(withdrawn_at),
        updated_at: row.time(at + 5)?,
    })
}

/// What is approved in this group and below it and came in no document of this format, behind this identifier, by identifier; and where
/// the page ends, if there may be more.
///
/// # Errors
/// Internal when the storage fails.
pub async fn own(
    reader: &mut Reader,
    group: &Uidp,
    but: Option<DocumentFormat>,
    behind: &str,
) -> Result<(Vec<Advisory>, Option<String>)> {
    let sql = format!(
        "SELECT {} FROM advisories WHERE uid > $1 AND uid < $2 AND uid > $3 AND review_states & $4 <> 0 AND NOT EXISTS \
         (SELECT 1 FROM advisory_parts p WHERE p.advisory = advisories.uid AND p.format = $6) ORDER BY uid LIMIT $5",
        DECLARED.statements().columns
    );
    let (from, end) = (format!("{group}/"), format!("{group}0"));
    let most = i64::try_from(PAGE).unwrap_or(i64::MAX);
    let behind = if behind > from.as_str() { behind } else { from.as_str() };
    let format = but.map_or("", DocumentFormat::as_str);
    let params = [
        behind.into(),
        end.as_str().into(),
        from.as_str().into(),
        ReviewState::Approved.bit().into(),
        most.into(),
        format.into(),
    ];
    let found = reader.query_map(&sql, &params, |row| Advisory::read(&mut Columns::of(row, 0))).await?;
    let next = found.last().filter(|_| found.len() == PAGE).map(|last| last.uid.to_string());
    Ok((found, next))
}

/// An approved advisory, and the OSV document that it came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The advisory.
    pub advisory: Advisory,
    /// The group and the id of the document.
    pub record: Option<(Uidp, String)>,
}

/// How candidates are looked for.
#[derive(Clone, Copy, Debug)]
pub enum By<'a> {
    /// By the name of the artifact, which may be any of these.
    Artifact(&'a [String]),
    /// By the id of the document that they came in.
    Record(&'a str),
    /// By their public id.
    PublicId(&'a str),
}

/// Approved advisories in this group and below it that are found so, behind this identifier: so many at most, by identifier.
///
/// # Errors
/// Internal when the storage fails.
pub async fn candidates(reader: &mut Reader, group: &Uidp, by: By<'_>, behind: &str, most: usize) -> Result<Vec<Candidate>> {
    let (column, values): (_, Vec<&str>) = match by {
        By::Artifact(names) => ("artifact_name", names.iter().map(String::as_str).collect()),
        By::Record(id) => ("legacy_id", vec![id]),
        By::PublicId(id) => ("advisory_id", vec![id]),
    };
    let values_at = counts::placeholders(5, values.len());
    let columns = DECLARED.statements().columns_of("a");
    let sql = format!(
        "SELECT p.parent, p.record, {columns} FROM advisories a LEFT JOIN advisory_parts p ON p.advisory = a.uid AND p.format = 'osv' \
         WHERE a.{column} IN ({values_at}) AND a.uid > $1 AND a.uid < $2 AND a.review_states & $3 <> 0 ORDER BY a.uid LIMIT $4"
    );
    let (from, end) = (format!("{group}/"), format!("{group}0"));
    let behind = if behind > from.as_str() { behind } else { from.as_str() };
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut params: Vec<Param<'_>> = vec![behind.into(), end.as_str().into(), ReviewState::Approved.bit().into(), most.into()];
    params.extend(values.into_iter().map(Param::from));
    let read = |row: &Row<'_>| {
        let mut columns = Columns::of(row, 0);
        let (parent, record) = (columns.opt_uidp()?, columns.opt_string()?);
        Ok(Candidate { advisory: Advisory::read(&mut columns)?, record: parent.zip(record) })
    };
    reader.query_map(&sql, &params, read).await
}

/// The OSV document with this id in the group itself, if it came.
///
/// # Errors
/// Internal when the storage fails.
pub async fn original(reader: &mut Reader, parent: &Uidp, record: &str) -> Result<Option<Original>> {
    let sql = "SELECT content FROM advisory_documents WHERE parent = $1 AND format = 'osv' AND record = $2";
    let content = reader.query_one(sql, &[parent.into(), record.into()], |row| Ok(row.bytes(0)?.to_vec())).await?;
    let Some(content) = content else { return Ok(None) };
    let place = Place { parent: parent.to_string(), record: record.to_owned() };
    let parts = parts(reader, &place, &place).await?.into_values().flatten().collect();
    Ok(Some(Original { parent: parent.clone(), record: record.to_owned(), content, parts }))
}
