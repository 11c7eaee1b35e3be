//! What the tests of this crate share.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::{Entropy, Error};

/// Counts: every draw is different and every run the same.
#[derive(Debug, Default)]
pub(crate) struct TestEntropy(AtomicU64);

impl Entropy for TestEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), Error> {
        for byte in bytes.chunks_mut(8) {
            let count = self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes();
            byte.iter_mut().rev().zip(count.iter().rev()).for_each(|(to, from)| *to = *from);
        }
        Ok(())
    }
}
