//! The source of random bytes.

use std::fmt;

use crate::{error::Error, uidp::Uidp};

/// Where random bytes come from. The program wires the cryptographic generator; tests wire a counted one.
pub trait Entropy: Send + Sync + fmt::Debug {
    /// Fills `bytes` with fresh random bytes.
    ///
    /// # Errors
    /// Internal when the generator fails; nothing may go on without it.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), Error>;

    /// Fills `bytes` with what other calls hardly ever give, to name things by. They may be foreseen: no secret is made of them. What a
    /// generator has cheaper for that than random bytes.
    ///
    /// # Errors
    /// As [`Entropy::fill`].
    fn name(&self, bytes: &mut [u8; 16]) -> Result<(), Error> {
        self.fill(bytes)
    }
}

impl dyn Entropy {
    /// `N` fresh random bytes.
    ///
    /// # Errors
    /// As [`Entropy::fill`].
    pub fn bytes<const N: usize>(&self) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// A new root identifier: 20 random bytes.
    ///
    /// # Errors
    /// As [`Entropy::fill`].
    pub fn root_uidp(&self) -> Result<Uidp, Error> {
        Ok(Uidp::root_from(self.bytes()?))
    }

    /// A new identifier below `parent`: 8 random bytes.
    ///
    /// # Errors
    /// As [`Entropy::fill`].
    pub fn child_uidp(&self, parent: &Uidp) -> Result<Uidp, Error> {
        Ok(parent.child(self.bytes()?))
    }
}
