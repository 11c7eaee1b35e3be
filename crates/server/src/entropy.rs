//! The system's random generator: the one place where the program draws random bytes.

use std::hash::{BuildHasher, RandomState};

use aws_lc_rs::rand::{SecureRandom, SystemRandom};
use domain::{Entropy, Error};

/// The cryptographic generator of the machine.
#[derive(Debug, Default)]
pub struct SystemEntropy(SystemRandom);

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), Error> {
        self.0.fill(bytes).map_err(|_| Error::internal("the random generator failed"))
    }

    /// Two hashes of nothing, keyed by random numbers of the thread that count on with each.
    fn name(&self, bytes: &mut [u8; 16]) -> Result<(), Error> {
        let [one, other] = [(); 2].map(|()| RandomState::new().hash_one(()));
        *bytes = (u128::from(one) << 64 | u128::from(other)).to_be_bytes();
        Ok(())
    }
}
