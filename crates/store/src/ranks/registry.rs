//! The fences of the last commits, and how they come to be.
//!
//! They are built when a reader first wants them: whoever builds reads a snapshot, and what is committed meanwhile is kept
//! beside and added in the end. From then on every commit makes the next version.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
};

use domain::{Error, Result, Revision};

use super::{Fences, Key, Move, Part, Step, Walk, steps};

/// Keys from one fence to the next, when they are new.
const STRIDE: usize = 256;
/// Versions that are kept for readers whose snapshot is not of the last commit.
const VERSIONS: usize = 16;
/// Steps that may come while fences are built. With more, the next reader that wants them begins anew.
const MISSED: usize = 200_000;

/// The fences of a store.
#[derive(Debug)]
pub(crate) struct Ranks {
    state: Mutex<State>,
    stride: AtomicUsize,
}

#[derive(Debug)]
struct State {
    /// The last commit that is known here.
    published: Revision,
    /// Counts orders.
    tickets: u64,
    walks: HashMap<Walk, Progress>,
    /// Where walks are built; `None` when the store is closed.
    builder: Option<mpsc::Sender<Order>>,
}

#[derive(Debug)]
enum Progress {
    Building {
        ticket: u64,
        missed: Vec<(Revision, Vec<Step>)>,
        steps: usize,
    },
    /// The oldest version first.
    Built(VecDeque<Version>),
}

/// Fences that hold from a commit to the next version.
#[derive(Debug)]
struct Version {
    since: Revision,
    fences: Fences,
}

/// Asks for the fences of a walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) walk: Walk,
    ticket: u64,
}

impl Ranks {
    /// For a store whose last commit is `last`; walks are to be built by the receiver.
    pub(crate) fn new(last: Revision) -> (Self, mpsc::Receiver<Order>) {
        let (builder, orders) = mpsc::channel();
        let state = State { published: last, tickets: 0, walks: HashMap::new(), builder: Some(builder) };
        (Self { state: Mutex::new(state), stride: AtomicUsize::new(STRIDE) }, orders)
    }

    /// How many rows lie between fences, and are passed over one by one.
    pub(crate) fn stride(&self) -> usize {
        self.stride.load(Ordering::Relaxed)
    }

    /// For fences that are built from now on.
    pub(crate) fn set_stride(&self, stride: usize) {
        self.stride.store(stride.max(1), Ordering::Relaxed);
    }

    /// The fences of the walk in the snapshot of a commit. When there are none yet, they are ordered.
    pub(crate) fn at(&self, walk: Walk, revision: Revision) -> Option<Fences> {
        let mut state = self.state();
        if state.published < revision {
            return None;
        }
        match state.walks.get(&walk) {
            Some(Progress::Built(versions)) => {
                versions.iter().rev().find(|version| version.since <= revision).map(|version| version.fences.clone())
            }
            Some(Progress::Building { .. }) => None,
            None => {
                state.tickets += 1;
                let ticket = state.tickets;
                // Without a builder the store is closed, and this is one of its last readers.
                state.builder.as_ref()?.send(Order { walk, ticket }).ok()?;
                state.walks.insert(walk, Progress::Building { ticket, missed: Vec::new(), steps: 0 });
                None
            }
        }
    }

    /// How many walks have fences.
    pub(crate) fn built(&self) -> usize {
        self.state().walks.values().filter(|progress| matches!(progress, Progress::Built(_))).count()
    }

    /// Takes the fences of an order, read from the snapshot of a commit.
    pub(crate) fn finish(&self, order: Order, revision: Revision, mut fences: Fences) {
        let mut state = self.state();
        let Some(Progress::Building { missed, .. }) = state.ordered(order) else { return };
        let missed = std::mem::take(missed);
        let mut since = revision;
        for (later, steps) in missed.into_iter().filter(|(later, _)| *later > revision) {
            if apply(&mut fences, &steps).is_err() {
                tracing::error!(walk = ?order.walk, "the ranks of a list do not fit and are built anew");
                state.walks.remove(&order.walk);
                return;
            }
            since = later;
        }
        state.walks.insert(order.walk, Progress::Built(VecDeque::from([Version { since, fences }])));
    }

    /// Gives up an order: the next reader that wants it asks again.
    pub(crate) fn abandon(&self, order: Order) {
        let mut state = self.state();
        if state.ordered(order).is_some() {
            state.walks.remove(&order.walk);
        }
    }

    /// Makes the version of a commit, after it and before anybody hears of it. `divide` gives the keys from one to before
    /// another in parts of about the stride; it reads what was committed.
    pub(crate) fn publish(
        &self,
        revision: Revision,
        moves: &[Move],
        mut divide: impl FnMut(Walk, &Key, Option<&Key>) -> Result<Vec<Part>>,
    ) {
        let most = 2 * self.stride();
        let mut state = self.state();
        state.published = revision;
        if moves.is_empty() {
            return;
        }
        state.walks.retain(|walk, progress| {
            let steps = steps(*walk, moves);
            if steps.is_empty() {
                return true;
            }
            let versions = match progress {
                Progress::Building { missed, steps: all, .. } => {
                    *all += steps.len();
                    missed.push((revision, steps));
                    return *all <= MISSED;
                }
                Progress::Built(versions) => versions,
            };
            let Some(last) = versions.back() else { return false };
            if last.since >= revision {
                // They were read after this commit and before this was told.
                return true;
            }
            match next(*walk, &last.fences, &steps, most, &mut divide) {
                Ok(fences) => versions.push_back(Version { since: revision, fences }),
                Err(error) => {
                    tracing::error!(?error, ?walk, "the ranks of a list are wrong and are built anew");
                    return false;
                }
            }
            if versions.len() > VERSIONS {
                versions.pop_front();
            }
            true
        });
    }

    /// Takes no more orders; the builder's receiver ends.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.builder = None;
        state.walks.clear();
    }

    /// Whether somebody still wants what was ordered.
    pub(crate) fn wants(&self, order: Order) -> bool {
        self.state().ordered(order).is_some()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// What became of an order, as long as nothing has overtaken it.
    fn ordered(&mut self, order: Order) -> Option<&mut Progress> {
        let progress = self.walks.get_mut(&order.walk)?;
        matches!(progress, Progress::Building { ticket, .. } if *ticket == order.ticket).then_some(progress)
    }
}

fn apply(fences: &mut Fences, steps: &[Step]) -> std::result::Result<(), super::fences::Misfit> {
    for (from, to) in steps {
        from.iter().try_for_each(|key| fences.remove(key))?;
        to.iter().try_for_each(|key| fences.insert(key))?;
    }
    Ok(())
}

fn next(
    walk: Walk,
    last: &Fences,
    steps: &[Step],
    most: usize,
    divide: &mut impl FnMut(Walk, &Key, Option<&Key>) -> Result<Vec<Part>>,
) -> Result<Fences> {
    let wrong = |_| Error::internal("the numbers do not fit what happened");
    let mut fences = last.clone();
    apply(&mut fences, steps).map_err(wrong)?;
    while let Some(part) = fences.crowded(most) {
        let first = fences.first(part).ok_or_else(|| wrong(super::fences::Misfit))?;
        let parts = divide(walk, first, fences.first(part + 1))?;
        fences.divide(part, parts).map_err(wrong)?;
    }
    Ok(fences)
}
