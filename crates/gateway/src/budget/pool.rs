//! A count that has a limit, and such counts by name.

use std::{
    borrow::Borrow,
    collections::HashMap,
    hash::{BuildHasher as _, Hash, RandomState},
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, PoisonError, Weak},
};

use prometheus_client::metrics::gauge::Gauge;

/// How much is taken of something. Whoever takes says the limit, so that the count alone is shared.
#[derive(Debug, Default)]
pub(crate) struct Pool(Gauge);

impl Pool {
    /// The pool that counts in `gauge`.
    pub(super) fn shown_by(gauge: &Gauge) -> Self {
        Self(gauge.clone())
    }

    /// Takes `count` unless that would make it more than `limit`.
    pub(crate) fn take(&self, count: usize, limit: usize) -> bool {
        let count = signed(count);
        // Added first and taken back: who comes just then may be refused although there is room, and never the other way round.
        let fits = self.0.inc_by(count).saturating_add(count) <= signed(limit);
        if !fits {
            self.0.dec_by(count);
        }
        fits
    }

    /// Takes `count` although it may be more than the limit.
    pub(super) fn force(&self, count: usize) {
        self.0.inc_by(signed(count));
    }

    /// Gives back what was taken.
    pub(crate) fn put(&self, count: usize) {
        self.0.dec_by(signed(count));
    }

    /// How much is taken at present.
    pub(super) fn taken(&self) -> usize {
        usize::try_from(self.0.get()).unwrap_or_default()
    }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// What stands for one client: its address, of IPv6 the network of 64 bits, because one client usually has all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Client(IpAddr);

impl From<IpAddr> for Client {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
            address @ IpAddr::V4(_) => address,
        })
    }
}

/// Among how many locks the names are distributed.
const SHARDS: usize = 16;
/// How many names a shard holds before it first looks for those that nobody holds any more.
const FIRST_SWEEP: usize = 64;

/// What belongs to each of many names, for as long as somebody holds it.
#[derive(Debug)]
pub(crate) struct Registry<K, V> {
    shards: [Mutex<Shard<K, V>>; SHARDS],
    hasher: RandomState,
}

#[derive(Debug)]
struct Shard<K, V> {
    held: HashMap<K, Weak<V>>,
    sweep_at: usize,
}

impl<K, V> Default for Registry<K, V> {
    fn default() -> Self {
        let shard = |_| Mutex::new(Shard { held: HashMap::new(), sweep_at: FIRST_SWEEP });
        Self { shards: std::array::from_fn(shard), hasher: RandomState::new() }
    }
}

impl<K: Clone + Eq + Hash, V: Default> Registry<K, V> {
    /// What belongs to `name`.
    pub(crate) fn of<Q>(&self, name: &Q) -> Arc<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let place = usize::try_from(self.hasher.hash_one(name) % SHARDS as u64).unwrap_or_default();
        let Some(shard) = self.shards.get(place) else { return Arc::default() };
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = shard.held.get(name).and_then(Weak::upgrade) {
            return held;
        }
        if shard.held.len() >= shard.sweep_at {
            shard.held.retain(|_, held| held.strong_count() > 0);
            shard.sweep_at = FIRST_SWEEP.max(shard.held.len() * 2);
        }
        let new = Arc::default();
        shard.held.insert(name.to_owned(), Arc::downgrade(&new));
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_holds_no_more_than_its_limit() {
        let pool = Pool::default();
        assert!(pool.take(3, 4) && !pool.take(2, 4) && pool.take(1, 4) && !pool.take(1, 4));
        pool.put(2);
        assert!(pool.take(2, 4) && !pool.take(usize::MAX, 4));
        pool.force(5);
        assert_eq!(pool.taken(), 9);
        assert!(!pool.take(1, 9));
    }

    #[test]
    fn a_client_of_ipv6_is_its_network() {
        let client = |text: &str| Client::from(text.parse::<IpAddr>().unwrap());
        assert_eq!(client("2001:db8::1"), client("2001:db8::ffff:0:0:2"));
        assert_ne!(client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert_ne!(client("192.0.2.1"), client("192.0.2.2"));
        assert_eq!(client("192.0.2.1"), client("::ffff:192.0.2.1"));
    }

    #[test]
    fn names_are_forgotten_with_their_last_holder() {
        let registry = Registry::<u32, Pool>::default();
        let held = registry.of(&7);
        held.force(1);
        assert_eq!(registry.of(&7).taken(), 1);
        (100..100_000).for_each(|name| drop(registry.of(&name)));
        let names: usize = registry.shards.iter().map(|shard| shard.lock().unwrap().held.len()).sum();
        assert!(names <= SHARDS * FIRST_SWEEP, "{names}");
        assert_eq!(registry.of(&7).taken(), 1);
        drop(held);
        assert_eq!(registry.of(&7).taken(), 0);
    }
}
