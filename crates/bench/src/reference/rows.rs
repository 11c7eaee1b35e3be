//! A list written by hand for one question: two prepared statements, and the answer straight from the rows.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use contract::{chainguard::platform::iam::v2beta1 as iam, prost_types::Timestamp};
use rusqlite::{Connection, OpenFlags, Row};
use serde::{Serialize, Serializer};

use crate::{Result, served::Server};

/// How many groups the list has at most.
pub(crate) const PAGE: i32 = 50;

/// The first page of the groups of one organization.
#[derive(Debug)]
pub(crate) struct Groups {
    idle: Mutex<Vec<Connection>>,
    path: std::path::PathBuf,
    organization: String,
    /// As long as ours, which is sealed; what it says is nobody's question here.
    next_page_token: String,
}

/// The answer in the words of the JSON form.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    groups: Vec<Group>,
    next_page_token: String,
    total_count: String,
    skipped: i32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    uid: String,
    name: String,
    description: String,
    resource_limits: Nothing,
    verified: bool,
    create_time: Time,
    update_time: Time,
    kind: &'static str,
    status: &'static str,
}

#[derive(Serialize)]
struct Nothing {}

/// Milliseconds since 1970.
struct Time(i64);

impl Groups {
    pub(crate) fn new(server: &Server, next_page_token: String) -> Self {
        let organization = server.organization.to_string();
        Self { idle: Mutex::default(), path: server.folder.join("provost.db"), organization, next_page_token }
    }

    /// The page as JSON.
    pub(crate) fn json(&self) -> Result<Bytes> {
        let (groups, total) = self.read(Group::read)?;
        let page = Page { groups, next_page_token: self.next_page_token.clone(), total_count: total.to_string(), skipped: 0 };
        Ok(serde_json::to_vec(&page)?.into())
    }

    /// The page as a message.
    pub(crate) fn message(&self) -> Result<iam::ListGroupsResponse> {
        let (groups, total) = self.read(message)?;
        let (next_page_token, total_count) = (self.next_page_token.clone(), Some(total));
        Ok(iam::ListGroupsResponse { groups, next_page_token, total_count, skipped: 0 })
    }

    fn read<T>(&self, group: fn(&Row<'_>) -> rusqlite::Result<T>) -> Result<(Vec<T>, i64)> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = idle.map_or_else(|| Connection::open_with_flags(&self.path, flags), Ok)?;
        let found = self.query(&connection, group)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        Ok(found)
    }

    fn query<T>(&self, connection: &Connection, group: fn(&Row<'_>) -> rusqlite::Result<T>) -> Result<(Vec<T>, i64)> {
        let mut select = connection.prepare_cached(
            "SELECT uid, name, description, verified, kind, status, created_at, updated_at \
             FROM groups WHERE uid >= ?1 AND uid < ?1 || '0' ORDER BY uid LIMIT ?2",
        )?;
        let groups = select.query_map((&self.organization, PAGE), group)?.collect::<rusqlite::Result<_>>()?;
        let mut count = connection.prepare_cached("SELECT n FROM counts WHERE prefix = ?1 AND noun = 'group'")?;
        Ok((groups, count.query_row([&self.organization], |row| row.get(0))?))
    }
}

impl Group {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            uid: row.get(0)?,
            name: row.get(1)?,
            description: row.get(2)?,
            resource_limits: Nothing {},
            verified: row.get(3)?,
            kind: kind(row)?.as_str_name(),
            status: status(row)?.as_str_name(),
            create_time: Time(row.get(6)?),
            update_time: Time(row.get(7)?),
        })
    }
}

fn message(row: &Row<'_>) -> rusqlite::Result<iam::Group> {
    Ok(iam::Group {
        uid: row.get(0)?,
        name: row.get(1)?,
        description: row.get(2)?,
        verified: row.get(3)?,
        kind: kind(row)? as i32,
        status: status(row)? as i32,
        create_time: Some(timestamp(row.get(6)?)),
        update_time: Some(timestamp(row.get(7)?)),
        ..iam::Group::default()
    })
}

/// Dev mode has organizations of no kind alone.
fn kind(row: &Row<'_>) -> rusqlite::Result<iam::OrgKind> {
    Ok(match row.get_ref(4)?.as_str()? {
        "customer" => iam::OrgKind::Customer,
        _ => iam::OrgKind::Unspecified,
    })
}

fn status(row: &Row<'_>) -> rusqlite::Result<iam::OrgStatus> {
    Ok(match row.get_ref(5)?.as_str()? {
        "ready" => iam::OrgStatus::Ready,
        _ => iam::OrgStatus::Unspecified,
    })
}

fn timestamp(millis: i64) -> Timestamp {
    let nanos = i32::try_from(millis.rem_euclid(1000) * 1_000_000).unwrap_or(0);
    Timestamp { seconds: millis.div_euclid(1000), nanos }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(26);
        contract::json::timestamp(&mut text, &timestamp(self.0));
        serializer.serialize_str(text.trim_matches('"'))
    }
}
