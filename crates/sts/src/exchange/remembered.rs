//! Compiled relationships in a bounded memory that organizations share fairly: when it is full, the organization that holds most
//! gives way, the least used first. None can make another forget more than it holds itself.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    fmt,
    sync::{
        PoisonError, RwLock, RwLockReadGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use domain::Uidp;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::gauge::ConstGauge,
    registry::Unit,
};

/// Remembers what is used, by the UID of an identity.
#[derive(Debug)]
pub(super) struct Remembered<V> {
    memory: u64,
    state: RwLock<State<V>>,
}

#[derive(Debug)]
struct State<V> {
    entries: HashMap<Uidp, Entry<V>>,
    organizations: HashMap<String, Held>,
    /// Organizations by what they hold. INVARIANT: one for each of `organizations`.
    largest: BTreeSet<(u64, String)>,
    bytes: u64,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    bytes: u64,
    /// Whether it was used since it was last passed over.
    used: AtomicBool,
}

/// What an organization holds.
#[derive(Debug, Default)]
struct Held {
    bytes: u64,
    /// Its identities in the order in which they give way. INVARIANT: each of its entries once.
    order: VecDeque<Uidp>,
}

impl<V: Clone> Remembered<V> {
    /// Room for `memory` bytes.
    pub(super) fn new(memory: u64) -> Self {
        let state = State { entries: HashMap::new(), organizations: HashMap::new(), largest: BTreeSet::new(), bytes: 0 };
        Self { memory, state: RwLock::new(state) }
    }

    fn read(&self) -> RwLockReadGuard<'_, State<V>> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is remembered of the identity.
    pub(super) fn get(&self, uid: &Uidp) -> Option<V> {
        let state = self.read();
        let entry = state.entries.get(uid)?;
        entry.used.store(true, Ordering::Relaxed);
        Some(entry.value.clone())
    }

    /// Remembers what takes so many bytes, unless it takes more than there are.
    pub(super) fn insert(&self, uid: Uidp, value: V, bytes: u64) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.remove(&uid);
        if bytes > self.memory {
            return;
        }
        state.add(uid, Entry { value, bytes, used: AtomicBool::new(false) });
        while state.bytes > self.memory && state.shrink_largest() {}
    }

    /// How many are remembered.
    pub(super) fn len(&self) -> usize {
        self.read().entries.len()
    }

    /// How many bytes they take.
    pub(super) fn bytes(&self) -> u64 {
        self.read().bytes
    }
}

impl<V> State<V> {
    fn add(&mut self, uid: Uidp, entry: Entry<V>) {
        let bytes = entry.bytes;
        self.resize(uid.root_text(), |held| {
            held.bytes += bytes;
            held.order.push_back(uid.clone());
        });
        self.bytes += bytes;
        self.entries.insert(uid, entry);
    }

    fn remove(&mut self, uid: &Uidp) {
        if let Some(held) = self.organizations.get_mut(uid.root_text()).filter(|_| self.entries.contains_key(uid)) {
            held.order.retain(|other| other != uid);
            self.forget(uid);
        }
    }

    /// Forgets an entry that is out of the order already.
    fn forget(&mut self, uid: &Uidp) {
        let Some(entry) = self.entries.remove(uid) else { return };
        self.bytes = self.bytes.saturating_sub(entry.bytes);
        self.resize(uid.root_text(), |held| held.bytes = held.bytes.saturating_sub(entry.bytes));
    }

    /// Changes what an organization holds.
    fn resize(&mut self, organization: &str, change: impl FnOnce(&mut Held)) {
        let mut held = self.organizations.remove(organization).unwrap_or_default();
        self.largest.remove(&(held.bytes, organization.to_owned()));
        change(&mut held);
        if !held.order.is_empty() {
            self.largest.insert((held.bytes, organization.to_owned()));
            self.organizations.insert(organization.to_owned(), held);
        }
    }

    /// Forgets the least used entry of the organization that holds most: each that was used since the last time is passed over
    /// once. False when there is none.
    fn shrink_largest(&mut self) -> bool {
        let Some((_, organization)) = self.largest.last().cloned() else { return false };
        let Some(held) = self.organizations.get_mut(&organization) else { return false };
        while let Some(uid) = held.order.pop_front() {
            if self.entries.get(&uid).is_some_and(|entry| entry.used.swap(false, Ordering::Relaxed)) {
                held.order.push_back(uid);
            } else {
                self.forget(&uid);
                return true;
            }
        }
        false
    }
}

/// Tells how many bytes are remembered, when asked.
pub(super) struct RememberedBytes<F>(pub(super) F);

impl<F: Fn() -> u64 + Send + Sync + 'static> Collector for RememberedBytes<F> {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let gauge = ConstGauge::new(i64::try_from((self.0)()).unwrap_or(i64::MAX));
        let help = "Memory of the patterns and pasted keys that are ready for use, about.";
        gauge.encode(encoder.encode_descriptor("compiled_relationships", help, Some(&Unit::Bytes), gauge.metric_type())?)
    }
}

impl<F> fmt::Debug for RememberedBytes<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RememberedBytes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uid(organization: u8, number: u8) -> Uidp {
        Uidp::root_from([organization; 20]).child([number; 8])
    }

    #[test]
    fn one_organization_does_not_push_out_another() {
        let remembered = Remembered::new(100);
        for number in 0..3 {
            remembered.insert(uid(1, number), number, 10);
        }
        for number in 0..200 {
            remembered.insert(uid(2, number), number, 10);
        }
        assert!((0..3).all(|number| remembered.get(&uid(1, number)) == Some(number)));
        assert_eq!((remembered.len(), remembered.bytes()), (10, 100));
        // A third takes its part from the largest.
        for number in 0..200 {
            remembered.insert(uid(3, number), number, 10);
        }
        assert!((0..3).all(|number| remembered.get(&uid(1, number)).is_some()));
        let of = |organization| (0..200).filter(|number| remembered.get(&uid(organization, *number)).is_some()).count();
        assert!((3..=4).contains(&of(2)) && (3..=4).contains(&of(3)), "{} and {}", of(2), of(3));
    }

    #[test]
    fn what_is_used_stays_longest() {
        let remembered = Remembered::new(100);
        for number in 0..50 {
            remembered.insert(uid(1, number), number, 10);
            assert_eq!(remembered.get(&uid(1, 0)), Some(0));
        }
        assert_eq!(remembered.len(), 10);
    }

    #[test]
    fn what_is_inserted_again_counts_once() {
        let remembered = Remembered::new(100);
        for bytes in [10, 90, 20, 101] {
            remembered.insert(uid(1, 1), bytes, bytes);
            remembered.insert(uid(1, 2), 10, 10);
            let expected = if bytes > 100 { 10 } else { bytes + 10 };
            assert_eq!(remembered.bytes(), expected);
        }
        let state = remembered.read();
        assert_eq!((state.entries.len(), state.largest.len(), state.organizations.len()), (1, 1, 1));
        assert_eq!(state.organizations.values().map(|held| held.order.len()).sum::<usize>(), 1);
    }
}
