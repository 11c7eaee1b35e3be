//! Memory with a bound.

use std::hash::{Hash, RandomState};

use quick_cache::{
    OptionsBuilder, Weighter,
    sync::{Cache as Inner, DefaultLifecycle},
};

/// Remembers what is used, and forgets what is not when it would take more than its memory.
pub(crate) type Cache<K, V, W> = Inner<K, V, W, RandomState>;

/// Parts that are locked apart from each other. What is larger than one part is not remembered.
const PARTS: usize = 4;
/// How many entries are expected, for the first allocation.
const EXPECTED: usize = 1_000;

/// A cache that takes `memory` bytes at most, as `weighter` counts them.
pub(crate) fn cache<K: Eq + Hash, V: Clone, W: Weighter<K, V> + Clone>(memory: u64, weighter: W) -> Cache<K, V, W> {
    let mut options = OptionsBuilder::new();
    let options = options.estimated_items_capacity(EXPECTED).weight_capacity(memory).shards(PARTS).build();
    let (hasher, lifecycle) = (RandomState::new(), DefaultLifecycle::default());
    match options {
        Ok(options) => Cache::with_options(options, weighter, hasher, lifecycle),
        // Only when a capacity is missing.
        Err(_) => Cache::with(EXPECTED, memory, weighter, hasher, lifecycle),
    }
}
