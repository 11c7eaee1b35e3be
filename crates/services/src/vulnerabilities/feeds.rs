//! Feeds: what an organization, or a folder, has published, as the databases that scanners read (ADR 27).
//!
//! A feed is a function of one snapshot. Which one that is tells a row, so whoever has the feed already costs one look into an index.
//! Otherwise it is made once, by whoever comes first, and kept in a file without a name.

mod kept;
mod osv;
mod published;
mod query;
mod secdb;
mod turns;
mod vex;

use std::{path::PathBuf, sync::Arc};

use domain::{
    Ctx, Error, Kind, Noun, Result, Revision, Rule, Timestamp, Uidp,
    iam::Group,
    revision::{Etag, Version},
};
use store::{Store, iam::groups, rows, vulnerabilities::feeds};
use tokio::sync::Semaphore;

pub use formats::{openvex::feed::manifest, osv::Looked};
pub use kept::{Content, Snapshot};
pub use query::{Found, Matches, Question};

use crate::grants::require;
use kept::Kept;
use turns::Turns;

/// What is needed to read feeds of what is not public.
const NEEDED: &str = "advisories.list";
/// What becomes of a feed that is made otherwise by another program: its entity tag.
const FORM: &str = "1";
/// Threads that look into records for queries, for all callers.
const LOOKS: usize = 2;

/// What a feed is made as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// A database of OSV records.
    Osv,
    /// A repository of OpenVEX documents.
    Vex,
    /// A security database of a distribution.
    Secdb,
}

/// A file of a feed, as it stands now.
#[derive(Clone, Debug)]
pub struct File {
    /// Its entity tag.
    pub etag: Etag,
    /// When it last changed; nothing where that may not be over yet.
    pub changed_at: Option<Timestamp>,
    /// Its bytes; `None` where the caller has them.
    pub content: Option<Content>,
    /// Whether there never was anything that it could have been made from, which is no good news.
    pub is_unfounded: bool,
}

/// What a caller has of a file.
#[derive(Clone, Debug, Default)]
pub struct Has {
    /// The value of `If-None-Match`.
    pub etag: Option<Etag>,
    /// The value of `If-Modified-Since`, which counts without an entity tag alone.
    pub changed_at: Option<Timestamp>,
}

/// The use cases of feeds. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Feeds {
    store: Store,
    kept: Arc<Kept>,
    turns: Arc<Turns>,
    looks: Arc<Semaphore>,
}

impl Feeds {
    /// The use cases over `store`, with files in `folder`.
    #[must_use]
    pub fn new(store: Store, folder: PathBuf) -> Self {
        let (kept, turns, looks) = (Arc::new(Kept::new(folder)), Arc::default(), Arc::new(Semaphore::new(LOOKS)));
        Self { store, kept, turns, looks }
    }

    /// Whether everybody may read feeds of the group.
    ///
    /// # Errors
    /// Internal when the storage fails.
    pub async fn is_public(&self, group: &Uidp) -> Result<bool> {
        groups::is_public(&mut self.store.reader().await?, group).await
    }

    /// Whether the caller may read feeds of the group, which is not public.
    ///
    /// # Errors
    /// Unauthenticated for nobody; permission denied without `advisories.list`, whether or not there is such a group.
    pub fn check(ctx: &Ctx, group: &Uidp) -> Result<()> {
        ctx.caller()?;
        require(ctx, NEEDED, group)
    }

    /// A file of the group's feed, unless the caller has it. Who calls may read it.
    ///
    /// # Errors
    /// Not found when there is no such group or file; resource exhausted when the organization has made the server work for too long;
    /// failed precondition when it has published more than a feed holds.
    pub async fn file(&self, ctx: &Ctx, group: &Uidp, form: Form, name: &str, has: &Has) -> Result<File> {
        let mut reader = self.store.reader().await?;
        let state = feeds::state(&mut reader, group).await?;
        let is_there = rows::get::<Group>(&mut reader, group).await?.is_some();
        drop(reader);
        if !is_there {
            return Err(Error::not_found(Noun::Group, group.as_str()));
        }
        let file = file_of(ctx, group, form, name, state);
        // A file that is not there has no entity tag that anybody could have got; but it has the same date as the others.
        if has.etag.is_some() && has.covers(&file) {
            return Ok(file);
        }
        let snapshot = self.snapshot(group, form, state).await?;
        let content = snapshot.content(name).ok_or_else(|| absent(name))?;
        let file = file_of(ctx, group, form, name, snapshot.state());
        let content = (!has.covers(&file)).then_some(content);
        Ok(File { content, ..file })
    }
}

impl Has {
    /// Whether what the caller has is the file (RFC 9110 sections 13.1.2 and 13.1.3).
    fn covers(&self, file: &File) -> bool {
        let weak = |etag: &Etag| Etag(etag.0.replace("W/", ""));
        match (&self.etag, self.changed_at, file.changed_at) {
            (Some(etag), ..) => etag.0 != "*" && weak(etag).admits(&file.etag),
            (None, Some(since), Some(changed)) => since >= changed,
            (None, ..) => false,
        }
    }
}

/// The file, without its content, as feeds of this state have it.
fn file_of(ctx: &Ctx, group: &Uidp, form: Form, name: &str, state: feeds::State) -> File {
    let feeds::State { revision, changed_at } = state;
    let text = format!("{FORM}/{form:?}/{}/{name}", changed_at.0);
    let etag = ctx.tags.of_part(Version { uid: group, revision }, text.as_bytes());
    // Of what changes within the second that a date names nobody can tell by the date.
    let second = Timestamp(changed_at.0 - changed_at.0.rem_euclid(1000));
    let changed_at = (revision != Revision::default() && ctx.now.0 >= second.0 + 1000).then_some(second);
    File { etag, changed_at, content: None, is_unfounded: revision == Revision::default() }
}

/// The error for a file that a feed does not have.
fn absent(name: &str) -> Error {
    let name = domain::text::excerpt(name);
    Error::new(Kind::NotFound, Rule::NoSuchPath, format!("this feed has no {name}: nothing is published that would be in it"))
}
