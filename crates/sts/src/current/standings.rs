//! How identities stand, as far as it is remembered.

use std::{
    collections::HashSet,
    hash::RandomState,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use domain::{Grants, Noun, Revision, Uidp};
use quick_cache::{
    Weighter,
    sync::{DefaultLifecycle, PlaceholderGuard},
};
use store::iam::standings::{News, Position, Standing};

use crate::bounded::{Cache, cache};

/// The most memory that is used, in bytes.
const MEMORY: u64 = 64 << 20;

/// How an identity stands, prepared for decisions.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) relationship_revision: i64,
    pub(crate) grants: Arc<Grants>,
    /// No other one of this process has it.
    pub(crate) number: u64,
    roles: Box<[Uidp]>,
}

impl Held {
    pub(super) fn new(standing: Standing) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        Self {
            relationship_revision: standing.relationship_revision,
            grants: Arc::new(standing.grants.into_iter().collect()),
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            roles: standing.roles.into(),
        }
    }
}

/// What an entry may come to take.
#[derive(Clone, Debug)]
pub(super) struct Weight;

impl Weighter<Uidp, Arc<Held>> for Weight {
    fn weight(&self, identity: &Uidp, held: &Arc<Held>) -> u64 {
        let roles: usize = held.roles.iter().map(|role| size_of::<Uidp>() + role.as_str().len()).sum();
        (size_of::<Held>() + identity.as_str().len() + roles + held.grants.weight()) as u64
    }
}

/// The right to add an identity that others wait for. They get the next right when it is dropped.
pub(super) type Place<'a> = PlaceholderGuard<'a, Uidp, Arc<Held>, Weight, RandomState, DefaultLifecycle<Uidp, Arc<Held>>>;

/// How identities stand.
///
/// INVARIANT: every entry is as in the state that is known. An entry that was read before something changed is not added,
/// since that may concern it; one of a later state is looked at again when that state is reached.
pub(super) struct Standings {
    known: Cache<Uidp, Arc<Held>, Weight>,
    state: Mutex<State>,
    /// The revision that is known, to be read without the lock.
    revision: AtomicI64,
}

/// Up to where changes are known.
#[derive(Default)]
struct State {
    at: Position,
    /// No identity and no role has changed since.
    unchanged_since: Revision,
}

impl Standings {
    pub(super) fn new() -> Self {
        Self { known: cache(MEMORY, Weight), state: Mutex::default(), revision: AtomicI64::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state that is known.
    pub(super) fn position(&self) -> Position {
        self.state().at
    }

    /// Whether somebody has read at another server of the database than what is known is of.
    pub(super) fn is_elsewhere(&self, read: Position) -> bool {
        read.server != self.position().server
    }

    /// Its revision.
    pub(super) fn revision(&self) -> Revision {
        Revision(self.revision.load(Ordering::Acquire))
    }

    pub(super) fn get(&self, identity: &Uidp) -> Option<Arc<Held>> {
        self.known.get(identity)
    }

    /// The right to add the identity; `None` when it is remembered, as soon as nobody else is adding it.
    pub(super) async fn get_or_place(&self, identity: &Uidp) -> Option<Place<'_>> {
        self.known.get_value_or_guard_async(identity).await.err()
    }

    /// Remembers the identity as it was read in a state, unless something may have changed since.
    pub(super) fn keep(&self, identity: &Uidp, held: &Arc<Held>, read: Position, place: Option<Place<'_>>) {
        let state = self.state();
        if read.server == state.at.server && read.revision >= state.unchanged_since {
            match place {
                // It may have been taken back meanwhile, to nobody's harm.
                Some(place) => _ = place.insert(Arc::clone(held)),
                None => self.known.insert(identity.clone(), Arc::clone(held)),
            }
        }
    }

    /// Goes on to a later state, and forgets what has changed on the way.
    pub(super) fn apply(&self, news: News) {
        let mut state = self.state();
        if news.changes.as_ref().is_none_or(|changes| !changes.is_empty()) {
            state.unchanged_since = news.at.revision;
        }
        match news.changes {
            None => self.known.clear(),
            Some(changes) => {
                let of = |noun| changes.iter().filter(move |change| change.0 == noun).filter_map(|change| change.1.parse().ok());
                for identity in of(Noun::Identity) {
                    self.known.remove::<Uidp>(&identity);
                }
                let roles: HashSet<Uidp> = of(Noun::Role).collect();
                if !roles.is_empty() {
                    self.known.retain(|_, held| !held.roles.iter().any(|role| roles.contains(role)));
                }
            }
        }
        state.at = news.at;
        self.revision.store(news.at.revision.0, Ordering::Release);
    }
}
