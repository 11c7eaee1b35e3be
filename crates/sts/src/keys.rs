//! Keys: the key-encryption key of this installation and what hangs on it.

mod ring;
mod root;
mod seal;
mod signing;

pub use ring::Keyring;
pub use root::RootKey;
pub use seal::Sealer;
pub use signing::SigningKeys;
