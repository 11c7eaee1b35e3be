//! The system's random generator: the one place where the program draws random bytes.

use aws_lc_rs::rand::{SecureRandom, SystemRandom};
use domain::{Entropy, Error};

/// The cryptographic generator of the machine.
#[derive(Debug, Default)]
pub struct SystemEntropy(SystemRandom);

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), Error> {
        self.0.fill(bytes).map_err(|_| Error::internal("the random generator failed"))
    }
}
