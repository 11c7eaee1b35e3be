//! Connections for reads that nobody uses at the moment.
//!
//! While nothing is written, a snapshot of the last commit stays good: it is kept, and the next read goes on in it without a
//! transaction of its own, which would cost as much as a small query. The writer ends all of them before it begins, as a
//! journal cannot begin anew while somebody reads from it.
//!
//! A thread gets the connection that it used last, if it can: what SQLite keeps of one is still in its core's cache.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
};

use super::shared::{Shared, lock};

/// The idle connections.
#[derive(Debug, Default)]
pub(super) struct Idle(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Those that are in no transaction.
    ended: Vec<Resting>,
    /// Those in a snapshot that shows everything that was ever acknowledged.
    current: Vec<Resting>,
    /// Whether the writer is at work.
    writing: bool,
    /// How often it has been.
    writes: u64,
    /// Whether nothing is kept any more.
    closed: bool,
}

/// A connection that nobody uses.
#[derive(Debug)]
struct Resting {
    raw: Shared,
    /// Who used it last.
    by: ThreadId,
}

/// A connection that was taken.
#[derive(Debug)]
pub(super) struct Taken {
    /// It; none when there was none.
    pub(super) raw: Option<Shared>,
    /// Whether it is in a snapshot.
    pub(super) is_current: bool,
    /// Which writes its snapshot shows at least.
    pub(super) writes: u64,
}

/// While it exists, no snapshot is kept.
#[derive(Debug)]
pub(super) struct Writing<'a>(&'a Idle);

impl Idle {
    /// Takes a connection, one in a snapshot if possible.
    pub(super) fn take(&self) -> Taken {
        let thread = thread::current().id();
        let mut state = self.state();
        let current = nearest(&mut state.current, thread);
        let is_current = current.is_some();
        Taken { raw: current.or_else(|| nearest(&mut state.ended, thread)), is_current, writes: state.writes }
    }

    /// Gives back a connection in a snapshot that shows `writes`. The snapshot is ended unless it is still good.
    pub(super) fn give_back(&self, raw: Shared, writes: u64) {
        // Some failures make SQLite end it.
        let is_open = !lock(&raw).is_autocommit();
        let resting = Resting { raw, by: thread::current().id() };
        let mut state = self.state();
        if is_open && !state.writing && !state.closed && state.writes == writes {
            state.current.push(resting);
            return;
        }
        drop(state);
        self.end(resting);
    }

    /// Tells that the writer begins, and ends the snapshots that are kept.
    pub(super) fn write(&self) -> Writing<'_> {
        let mut state = self.state();
        state.writing = true;
        let current = std::mem::take(&mut state.current);
        drop(state);
        for resting in current {
            self.end(resting);
        }
        Writing(self)
    }

    /// Ends the snapshots that are kept, though the writer has changed nothing: others may have.
    pub(super) fn renew(&self) {
        let mut state = self.state();
        state.writes += 1;
        let current = std::mem::take(&mut state.current);
        drop(state);
        for resting in current {
            self.end(resting);
        }
    }

    /// Closes all of them, and each that is given back from now on.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.ended.clear();
        state.current.clear();
    }

    fn end(&self, resting: Resting) {
        let ended = {
            let raw = lock(&resting.raw);
            if raw.is_autocommit() { Ok(0) } else { raw.prepare_cached("ROLLBACK").and_then(|mut rollback| rollback.execute([])) }
        };
        let mut state = self.state();
        match ended {
            Ok(_) if !state.closed => state.ended.push(resting),
            Ok(_) => {}
            // The connection is closed instead, which ends its snapshot as well.
            Err(error) => tracing::warn!(%error, "cannot end a snapshot"),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the connection that this thread used last, or else the last one that anybody used.
fn nearest(resting: &mut Vec<Resting>, thread: ThreadId) -> Option<Shared> {
    let at = resting.iter().rposition(|resting| resting.by == thread).or(resting.len().checked_sub(1))?;
    Some(resting.remove(at).raw)
}

impl Drop for Writing<'_> {
    /// Whatever has become of the write, what began before it is old.
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.writing = false;
        state.writes += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    fn in_snapshot() -> Shared {
        let raw = rusqlite::Connection::open_in_memory().expect("opens");
        raw.execute_batch("BEGIN DEFERRED").expect("begins");
        Arc::new(Mutex::new(raw))
    }

    /// Takes a connection: whether there was one, and whether it is in a snapshot.
    fn taken(idle: &Idle) -> (bool, bool) {
        let taken = idle.take();
        let open = taken.raw.as_ref().is_some_and(|raw| !lock(raw).is_autocommit());
        assert_eq!(open, taken.is_current);
        (taken.raw.is_some(), open)
    }

    #[test]
    fn a_snapshot_is_kept_until_somebody_writes() {
        let idle = Idle::default();
        let first = idle.take();
        assert!(first.raw.is_none() && !first.is_current);
        idle.give_back(in_snapshot(), first.writes);
        assert_eq!(taken(&idle), (true, true));
        idle.give_back(in_snapshot(), first.writes);
        drop(idle.write());
        assert_eq!(taken(&idle), (true, false));
    }

    #[test]
    fn what_began_before_or_during_a_write_is_not_kept() {
        let idle = Idle::default();
        let before = idle.take().writes;
        let writing = idle.write();
        idle.give_back(in_snapshot(), before);
        assert_eq!(taken(&idle), (true, false));
        drop(writing);
        idle.give_back(in_snapshot(), before);
        assert_eq!(taken(&idle), (true, false));
    }

    #[test]
    fn none_is_kept_from_before_all_were_renewed() {
        let idle = Idle::default();
        let before = idle.take().writes;
        idle.give_back(in_snapshot(), before);
        idle.renew();
        assert_eq!(taken(&idle), (true, false));
        idle.give_back(in_snapshot(), before);
        assert_eq!(taken(&idle), (true, false), "not one that was under way either");
        idle.give_back(in_snapshot(), idle.take().writes);
        assert_eq!(taken(&idle), (true, true));
    }

    #[test]
    fn a_snapshot_that_has_ended_by_itself_is_none() {
        let idle = Idle::default();
        let raw = in_snapshot();
        lock(&raw).execute_batch("ROLLBACK").expect("ends");
        idle.give_back(raw, idle.take().writes);
        assert_eq!(taken(&idle), (true, false));
    }

    #[test]
    fn a_thread_gets_the_connection_that_it_used_last() {
        let idle = Idle::default();
        let (here, there) = (in_snapshot(), in_snapshot());
        let writes = idle.take().writes;
        idle.give_back(Arc::clone(&here), writes);
        thread::scope(|scope| scope.spawn(|| idle.give_back(Arc::clone(&there), writes)).join()).expect("gives back");
        assert!(Arc::ptr_eq(&idle.take().raw.expect("is there"), &here));
        // Another one's is better than none.
        assert!(Arc::ptr_eq(&idle.take().raw.expect("is there"), &there));
        assert!(idle.take().raw.is_none());
    }

    #[test]
    fn nothing_is_kept_after_the_end() {
        let idle = Idle::default();
        idle.give_back(in_snapshot(), 0);
        idle.close();
        idle.give_back(in_snapshot(), 0);
        assert_eq!(taken(&idle), (false, false));
    }
}
