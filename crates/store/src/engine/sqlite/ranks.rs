//! Reading the keys of an index, for [`Ranks`]: all of them when a reader first wants them, one part when it has grown.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::JoinHandle,
};

use domain::{Error, OrderField, Result, Revision, Timestamp};
use rusqlite::{OpenFlags, types::Value};

use super::{configure, fault::translate};
use crate::{
    CursorKey,
    engine::Index,
    ranks::{Fences, Key, Order, Part, Ranks, Walk, Within},
};

/// The thread that builds fences, one walk after the other. Dropping it ends the thread, also in the middle of a walk.
#[derive(Debug)]
pub(super) struct Builder {
    ranks: Arc<Ranks>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Builder {
    pub(super) fn start(file: PathBuf, ranks: Arc<Ranks>, orders: mpsc::Receiver<Order>) -> Result<Self> {
        let known = Arc::clone(&ranks);
        let serve = move || {
            while let Ok(order) = orders.recv() {
                if let Err(error) = build(&file, &known, order) {
                    known.abandon(order);
                    tracing::warn!(%error, walk = ?order.walk, "cannot build the ranks of a list");
                }
            }
        };
        let thread = std::thread::Builder::new().name("store-ranks".to_owned()).spawn(serve).map_err(Error::internal)?;
        Ok(Self { ranks, thread: Mutex::new(Some(thread)) })
    }

    /// Ends the thread; it looks up after each part.
    pub(super) fn stop(&self) {
        self.ranks.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the builder of ranks has panicked");
        }
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Reads the whole walk in one snapshot, on a connection of its own: no reader waits for it.
fn build(file: &Path, ranks: &Ranks, order: Order) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let raw = rusqlite::Connection::open_with_flags(file, flags).map_err(translate)?;
    configure(&raw).map_err(translate)?;
    raw.execute_batch("BEGIN DEFERRED").map_err(translate)?;
    let revision = raw.query_row("SELECT n FROM revision", [], |row| row.get(0)).map_err(translate)?;
    if let Some(parts) = parts(&raw, order.walk, None, None, ranks.stride(), || ranks.wants(order))? {
        ranks.finish(order, Revision(revision), Fences::new(parts));
    }
    Ok(())
}

/// The keys of a part, divided anew.
pub(super) fn divide(raw: &rusqlite::Connection, stride: usize, walk: Walk, from: &Key, to: Option<&Key>) -> Result<Vec<Part>> {
    // The first part begins before every key, with one that no index has.
    let from = (*from != Key::least()).then_some(from);
    Ok(parts(raw, walk, from, to, stride, || true)?.unwrap_or_default())
}

/// The keys from `from` to before `to` in parts of `stride`; `None` as soon as `go_on` says no.
fn parts(
    raw: &rusqlite::Connection,
    walk: Walk,
    from: Option<&Key>,
    to: Option<&Key>,
    stride: usize,
    go_on: impl Fn() -> bool,
) -> Result<Option<Vec<Part>>> {
    let columns = columns(walk);
    let (list, marks) = (columns.join(", "), vec!["?"; columns.len()].join(", "));
    let bounds = [(from, ">="), (to, "<")].into_iter().filter_map(|(key, how)| Some((key?, how)));
    let (conditions, params): (Vec<_>, Vec<_>) =
        bounds.map(|(key, how)| (format!("({list}) {how} ({marks})"), values(walk, key))).unzip();
    let conditions = if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
    let sql = format!("SELECT {list} FROM {}{}{conditions} ORDER BY {list}", walk.table, by(walk.index()));
    let mut statement = raw.prepare_cached(&sql).map_err(translate)?;
    let mut rows = statement.query(rusqlite::params_from_iter(params.into_iter().flatten())).map_err(translate)?;
    let mut parts: Vec<Part> = Vec::new();
    while let Some(row) = rows.next().map_err(translate)? {
        match parts.last_mut() {
            Some((_, n)) if (*n as usize) < stride => *n += 1,
            _ => {
                if !go_on() {
                    return Ok(None);
                }
                parts.push((key(walk, row)?, 1));
            }
        }
    }
    Ok(Some(parts))
}

/// The columns of a walk in their order; the last is the identifier.
fn columns(walk: Walk) -> Vec<&'static str> {
    let place = match walk.within {
        Within::Table => None,
        Within::Parent => Some("parent"),
        Within::Org => Some("org"),
    };
    let field = match walk.field {
        OrderField::Uid => None,
        OrderField::Name => Some("name"),
        OrderField::CreatedAt => Some("created_at"),
    };
    place.into_iter().chain(field).chain(["uid"]).collect()
}

fn values(walk: Walk, key: &Key) -> impl Iterator<Item = Value> {
    let place = (walk.within != Within::Table).then(|| Value::Text(key.place.to_string()));
    let field = match &key.by {
        CursorKey::Uid => None,
        CursorKey::Name(name) => Some(Value::Text(name.clone())),
        CursorKey::Time(time) => Some(Value::Integer(time.0)),
    };
    place.into_iter().chain(field).chain([Value::Text(key.uid.to_string())])
}

fn key(walk: Walk, row: &rusqlite::Row<'_>) -> Result<Key> {
    let text = |at: usize| row.get_ref(at).map_err(translate)?.as_str().map_err(Error::internal);
    let field = usize::from(walk.within != Within::Table);
    let place = if field == 0 { "" } else { text(0)? };
    let (by, uid) = match walk.field {
        OrderField::Uid => (CursorKey::Uid, field),
        OrderField::Name => (CursorKey::Name(text(field)?.to_owned()), field + 1),
        OrderField::CreatedAt => (CursorKey::Time(Timestamp(row.get(field).map_err(translate)?)), field + 1),
    };
    Ok(Key { place: place.into(), by, uid: text(uid)?.into() })
}

/// The words after a table's name that make a query walk the index.
pub(crate) fn by(index: Index<'_>) -> String {
    match index {
        Index::Primary(table) => format!(" INDEXED BY sqlite_autoindex_{table}_1"),
        Index::Named(table, columns) => format!(" INDEXED BY {table}_{columns}"),
    }
}
