//! The fences of the last commits, for every walk.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use domain::Revision;
use tokio::sync::Notify;

use super::{Fences, Walk, parents::Parents};
use crate::{Metrics, position::Position};

/// Keys from one fence to the next, when they are new.
const STRIDE: usize = 256;
/// Versions that are kept for readers whose snapshot is older than the last of them.
const VERSIONS: usize = 16;

/// The fences of a store.
#[derive(Debug)]
pub(crate) struct Ranks {
    state: Mutex<State>,
    stride: AtomicUsize,
    closed: AtomicBool,
    /// Tells whoever moves them forward that there is something to do.
    wanted: Notify,
    metrics: Metrics,
    /// Every walk, in the order in which they are made.
    walks: Vec<Walk>,
}

#[derive(Debug, Default)]
struct State {
    /// The server of the database whose commits are counted.
    server: i64,
    /// The oldest version first. None is empty.
    walks: HashMap<Walk, VecDeque<Version>>,
    /// Where rows live.
    parents: Arc<Parents>,
}

/// Fences that hold from one commit to another.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(crate) since: Revision,
    pub(crate) upto: Revision,
    pub(crate) fences: Fences,
}

impl Ranks {
    pub(crate) fn new(walks: Vec<Walk>, metrics: Metrics) -> Self {
        Self {
            state: Mutex::default(),
            stride: AtomicUsize::new(STRIDE),
            closed: AtomicBool::new(false),
            wanted: Notify::new(),
            metrics,
            walks,
        }
    }

    /// Where rows live.
    pub(crate) fn parents(&self) -> Arc<Parents> {
        Arc::clone(&self.state().parents)
    }

    /// Has all fences made anew.
    pub(crate) fn begin_anew(&self) {
        let mut state = self.state();
        *state = State { server: state.server, ..State::default() };
    }

    /// Forgets the parents of rows that are gone. Whoever has fences of before goes on with the numbers of before.
    pub(crate) fn forget_parents(&self) {
        let mut state = self.state();
        let State { walks, parents, .. } = &mut *state;
        let mut used = vec![false; parents.len()];
        walks.values().filter_map(VecDeque::back).for_each(|last| last.fences.mark(&mut used));
        let (kept, numbers) = parents.in_use(&used);
        *parents = Arc::new(kept);
        for last in walks.values_mut().filter_map(VecDeque::back_mut) {
            last.fences = last.fences.clone().renumbered(parents, &numbers);
        }
    }

    /// How many rows lie between fences, and are passed over one by one.
    pub(crate) fn stride(&self) -> usize {
        self.stride.load(Ordering::Relaxed)
    }

    /// Has all fences made anew with this stride.
    pub(crate) fn set_stride(&self, stride: usize) {
        self.stride.store(stride.max(1), Ordering::Relaxed);
        self.state().walks.clear();
        self.wake();
    }

    /// Whether every walk has fences.
    pub(crate) fn stand(&self) -> bool {
        self.missing().is_none()
    }

    /// The newest fences of the walk that hold at or before a state of everything, and up to which commit they do.
    pub(crate) fn at(&self, walk: Walk, at: Position) -> Option<(Revision, Fences)> {
        let state = self.state();
        let versions = state.walks.get(&walk).filter(|_| state.server == at.server)?;
        let version = versions.iter().rev().find(|version| version.since <= at.revision)?;
        Some((version.upto.min(at.revision), version.fences.clone()))
    }

    /// The last version of every walk that has one, for a state of everything that is not before any of them: on another
    /// server of the database, or on one that has lost commits, nothing of what was known holds.
    pub(crate) fn last(&self, at: Position) -> HashMap<Walk, Version> {
        let mut state = self.state();
        let ahead = |versions: &VecDeque<Version>| versions.back().is_some_and(|version| version.upto > at.revision);
        if state.server != at.server || state.walks.values().any(ahead) {
            *state = State { server: at.server, ..State::default() };
        }
        state.walks.iter().filter_map(|(walk, versions)| Some((*walk, versions.back()?.clone()))).collect()
    }

    /// Whether fences read at a state of everything are of the server whose commits are counted.
    pub(crate) fn is_of(&self, at: Position) -> bool {
        self.state().server == at.server
    }

    /// Whether all fences there are hold up to this commit.
    pub(crate) fn hold_at(&self, revision: Revision) -> bool {
        self.state().walks.values().all(|versions| versions.back().is_some_and(|version| version.upto == revision))
    }

    /// The next walk that has no fences.
    pub(crate) fn missing(&self) -> Option<Walk> {
        let state = self.state();
        self.walks.iter().copied().find(|walk| !state.walks.contains_key(walk))
    }

    /// Takes the first fences of a walk, or the next version of them, with the stride that they were made with.
    pub(crate) fn put(&self, walk: Walk, version: Version, stride: usize) {
        let mut state = self.state();
        if stride != self.stride() {
            return;
        }
        let versions = state.walks.entry(walk).or_default();
        match versions.back_mut() {
            Some(last) if last.since == version.since => *last = version,
            _ => versions.push_back(version),
        }
        if versions.len() > VERSIONS {
            versions.pop_front();
        }
    }

    /// Counts a skip that was to be made by ranks.
    pub(crate) fn used(&self, were_there: bool) {
        let skips = if were_there { &self.metrics.skips_by_ranks } else { &self.metrics.skips_by_walk };
        skips.inc();
    }

    /// Gives up the fences of a walk.
    pub(crate) fn forget(&self, walk: Walk) {
        self.state().walks.remove(&walk);
    }

    /// Asks for the fences to be moved forward.
    pub(crate) fn wake(&self) {
        self.wanted.notify_one();
    }

    /// Waits until somebody asks, at most for that long.
    pub(crate) async fn rest(&self, most: Duration) {
        // Both ends mean the same.
        _ = tokio::time::timeout(most, self.wanted.notified()).await;
    }

    /// Has whoever moves the fences forward end.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.wake();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
