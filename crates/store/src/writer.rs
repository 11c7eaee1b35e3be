//! One write: what it changes and what it leaves behind.

use std::{
    collections::HashMap,
    ops::{Deref, DerefMut},
    sync::Arc,
};

use aws_lc_rs::digest;
use database::{Connection, Executed, Param};
use domain::{Ctx, Error, Noun, Op, Result, Revision, Timestamp, Uidp};
use serde::Serialize;

use crate::{
    AuditEntry, BoxFuture, Reader, audit,
    chain::{Content, Digest, Key, KeyId, RightsDigest, Values, event_digest, finish},
    changes::{self, Told},
    idempotency,
    outbox::{self, Event},
    pending::{self, Pending},
    spot::Move,
};

/// A write under way. It reads like a [`Reader`] and sees its own changes.
///
/// Functions that change a noun put the change into the feed by themselves; [`Writer::announce`] adds the event.
/// A failed statement spoils the write: it is rolled back whatever the closure returns.
#[derive(Debug)]
pub struct Writer {
    reader: Reader,
    ctx: Ctx,
    mode: Mode,
    pub(crate) rules: &'static Rules,
    revision: Revision,
    changes: Vec<Told>,
    /// Where each resource is among the changes.
    changed: HashMap<(Noun, String), usize>,
    target: Option<(Noun, String, Op)>,
    events: i64,
    /// What the audit log keeps of the events.
    event_digests: Values,
    /// The SHA-256 of everything before the audit row, where that vouches for all of it.
    vouches_for: Option<Digest>,
}

/// What a write asks of the nouns, which are known to those who make writers.
#[derive(Debug)]
pub(crate) struct Rules {
    /// Refuses to let go of something of that noun in which rows live that keep it, and removes those that go with it. Answers
    /// whether anything lives in that noun at all.
    pub(crate) empty: for<'a> fn(&'a mut Writer, Noun, &'a Uidp) -> BoxFuture<'a, Result<bool>>,
    /// The group that an event belongs to; `/` for none.
    pub(crate) event_group: for<'a> fn(Noun, &'a Uidp, Op) -> &'a str,
}

/// What a write leaves behind besides its changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A revision, an audit row, the feed and the idempotency claim.
    Audited,
    /// Nothing: the server's own bookkeeping, which is told elsewhere in the audit log or is no change of any noun.
    Bookkeeping,
}

impl Deref for Writer {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
    }
}

impl DerefMut for Writer {
    fn deref_mut(&mut self) -> &mut Reader {
        &mut self.reader
    }
}

impl Writer {
    pub(crate) fn new(
        connection: Connection,
        ctx: Ctx,
        mode: Mode,
        rules: &'static Rules,
        pending: Arc<pending::Shared>,
    ) -> Self {
        Self {
            reader: Reader::writing(connection, pending),
            ctx,
            mode,
            rules,
            revision: Revision::default(),
            changes: Vec::new(),
            changed: HashMap::new(),
            target: None,
            events: 0,
            event_digests: Values::default(),
            vouches_for: None,
        }
    }

    /// Runs `work` between what comes before and after every write.
    pub(crate) async fn run<T>(&mut self, work: impl for<'a> FnOnce(&'a mut Self) -> BoxFuture<'a, Result<T>>) -> Result<T> {
        if self.mode == Mode::Audited {
            if let Some(claim) = self.ctx.idempotency.clone() {
                idempotency::claim(&mut self.reader, &claim, self.ctx.now).await?;
            }
            self.revision = self.reader.connection.next_revision()?;
        }
        let value = work(self).await?;
        if self.mode == Mode::Audited {
            let changes = std::mem::take(&mut self.changes);
            if self.ctx.event.is_some() && self.events == 0 && !changes.is_empty() {
                return Err(Error::internal(format!("{} changed something and announced nothing", self.ctx.method)));
            }
            let mut entry = AuditEntry::of(&self.ctx);
            entry.revision = Some(self.revision);
            let first = || changes.first().map(|Told { change, .. }| (change.noun, change.uid.clone(), change.op));
            entry.target(self.target.take().or_else(first));
            self.leave(&entry, &changes).await?;
        }
        self.reader.connection.settle().await?;
        if self.reader.connection.is_spoilt() {
            return Err(Error::internal("a write went on after one of its statements had failed"));
        }
        Ok(value)
    }

    /// Leaves a row in the audit log for these changes, and the changes.
    pub(crate) async fn leave(&mut self, entry: &AuditEntry, changes: &[Told]) -> Result<()> {
        changes::append(&mut self.reader.connection, changes).await?;
        let row = entry.values()?;
        let mut content = Content { events: std::mem::take(&mut self.event_digests), ..Content::of(&row) };
        for told in changes {
            content.changes.add(&told.values());
        }
        let code = match self.vouches_for.take() {
            Some(all) => Some(self.reader.links()?.seal(&content, all)?),
            None => self.reader.links()?.link(&content, None)?,
        };
        audit::append(&mut self.reader.connection, row, code).await
    }

    /// Leaves rows in the audit log of what has written nothing. The last one vouches for all of them.
    pub(crate) async fn note(&mut self, entries: &[&AuditEntry]) -> Result<()> {
        let Some((last, others)) = entries.split_last() else { return Ok(()) };
        let mut between = digest::Context::new(&digest::SHA256);
        for entry in others {
            let row = entry.values()?;
            Content::of(&row).hash(&mut between);
            audit::append(&mut self.reader.connection, row, None).await?;
        }
        let between = (!others.is_empty()).then(|| finish(between.finish()));
        let row = last.values()?;
        let code = self.reader.links()?.link(&Content::of(&row), between)?;
        audit::append(&mut self.reader.connection, row, code).await
    }

    /// Has the audit row of this write vouch for everything before it, which has this SHA-256.
    pub(crate) fn vouch_for_all(&mut self, digest: Digest) {
        self.vouches_for = Some(digest);
    }

    /// Has the audit log go on with this key, from this write's row on, which has to be of the method [`REKEY`](crate::chain::REKEY). Rows
    /// that the write touches from now on get their codes with it.
    ///
    /// # Errors
    /// Failed precondition where the log has no codes, or this process not that key.
    pub fn go_on_with(&mut self, key: KeyId) -> Result<()> {
        self.reader.links()?.change_to(key)
    }

    /// The key that this write vouches with; none where the audit log has no codes.
    ///
    /// # Errors
    /// Unavailable when the database uses a key that this process does not have.
    pub fn key(&self) -> Result<Option<KeyId>> {
        Ok(self.reader.links()?.key()?.map(Key::id))
    }

    /// The revision that this write gives to the rows it touches.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The context of the request.
    #[must_use]
    pub fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    /// When the request arrived.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.ctx.now
    }

    /// Announces what happened to a resource: the target of the audit row, the feed, and the method's event with
    /// `snapshot` as its content when the method has one, in the group that the noun's events belong to.
    ///
    /// # Errors
    /// Internal when the snapshot cannot be written as JSON or the storage fails.
    pub async fn announce<S: Serialize + Sync>(&mut self, noun: Noun, uid: &Uidp, op: Op, snapshot: &S) -> Result<()> {
        self.changed(noun, uid.as_str(), op);
        self.target.get_or_insert_with(|| (noun, uid.to_string(), op));
        let group = (self.rules.event_group)(noun, uid, op);
        self.event(uid.as_str(), group, snapshot).await
    }

    /// Only the event of the method, if it has one: for batches, whose changes are in the feed one by one.
    ///
    /// The snapshot becomes a text here, on the writer: it has what the write has stored and nothing more.
    ///
    /// # Errors
    /// As [`Writer::announce`].
    pub async fn event<S: Serialize + Sync>(&mut self, subject: &str, group: &str, snapshot: &S) -> Result<()> {
        let Some(rule) = self.ctx.event else { return Ok(()) };
        let event = Event {
            revision: self.revision,
            ordinal: self.events,
            kind: rule.kind.to_owned(),
            api_version: self.ctx.api_version.to_owned(),
            customer: rule.customer,
            subject: subject.to_owned(),
            group: group.to_owned(),
            actor: audit::actor_text(&self.ctx.actor),
            upstream: audit::upstream(&self.ctx.actor).cloned(),
            snapshot: serde_json::to_string(snapshot).map_err(Error::internal)?,
            at: self.ctx.now,
        };
        self.events += 1;
        let values = event.values()?;
        self.event_digests.add(&[event_digest(&values)]);
        outbox::append(&mut self.reader.connection, &values).await
    }

    /// Puts a change into the feed, once per resource. Functions that change a noun have done so already.
    pub fn changed(&mut self, noun: Noun, uid: &str, op: Op) {
        self.tell(noun, uid, op, None, None);
    }

    /// The same for a row of a list, with where it stood and stands, and what the columns are now that rights follow from.
    pub(crate) fn moved(&mut self, noun: Noun, uid: &Uidp, op: Op, spots: Move, digest: Option<RightsDigest>) {
        self.tell(noun, uid.as_str(), op, Some(spots), digest);
    }

    fn tell(&mut self, noun: Noun, uid: &str, op: Op, spots: Option<Move>, digest: Option<RightsDigest>) {
        let next = self.changes.len();
        let at = *self.changed.entry((noun, uid.to_owned())).or_insert(next);
        if let Some(known) = self.changes.get_mut(at) {
            return known.and(op, spots, digest);
        }
        let ordinal = i64::try_from(next).unwrap_or(i64::MAX);
        let change = changes::Change { revision: self.revision, ordinal, noun, uid: uid.to_owned(), op };
        self.changes.push(Told { change, spots, digest });
    }

    /// Runs a statement whose answer nobody looks at; a failure fails the write, perhaps only at its end.
    pub(crate) async fn send(&mut self, sql: &str, params: &[Param<'_>]) -> Result<()> {
        self.reader.connection.send(sql, params).await
    }

    /// Adds to the counters.
    pub(crate) fn counting(&mut self, add: impl FnOnce(&mut Pending)) -> Result<()> {
        self.reader.pending(add).ok_or_else(|| Error::internal("a snapshot counts nothing"))
    }

    /// A revision above every one that the database has given out: for a restore, whose write has none of its own.
    pub(crate) fn next_revision(&mut self) -> Result<Revision> {
        self.reader.connection.next_revision()
    }

    /// Sets the number of the last commit, as the last act of a restore.
    pub(crate) fn set_revision(&mut self, revision: Revision) -> Result<()> {
        self.reader.connection.set_revision(revision)
    }

    pub(crate) async fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Executed {
        self.reader.connection.execute(sql, params).await
    }
}
