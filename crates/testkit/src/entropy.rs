//! Random bytes that come out the same on every run.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::{Entropy, Error};

/// A counter spread over all bytes: distinct, and the same on every run. Never for a real server.
#[derive(Debug, Default)]
pub struct CountedEntropy(AtomicU64);

impl From<u64> for CountedEntropy {
    /// Bytes that begin elsewhere.
    fn from(first: u64) -> Self {
        Self(AtomicU64::new(first))
    }
}

impl Entropy for CountedEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), Error> {
        for chunk in bytes.chunks_mut(8) {
            let count = self.0.fetch_add(1, Ordering::SeqCst);
            chunk.iter_mut().zip(spread(count).to_be_bytes()).for_each(|(to, from)| *to = from);
        }
        Ok(())
    }
}

/// `SplitMix64`'s finalizer: a bijection, so distinct counts give distinct words.
fn spread(count: u64) -> u64 {
    let mut word = count.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
