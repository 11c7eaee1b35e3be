//! Keys: the key-encryption key of this installation and what hangs on it.

mod metrics;
mod ring;
mod root;
mod rotation;
mod seal;
mod signing;
mod stored;

pub use ring::Keyring;
pub(crate) use root::MacKey;
pub use root::RootKey;
pub use rotation::{KeyInfo, KeyState, Rotation};
pub use seal::Sealer;
pub use signing::{SigningKeys, check_opens};
