//! Keys: the key-encryption key of this installation and what hangs on it.

mod key_file;
mod metrics;
mod rekey;
mod ring;
mod root;
mod rotation;
mod seal;
mod signing;
mod stored;
mod takeover;

pub use rekey::NextKey;
pub use ring::Keyring;
pub(crate) use root::MacKey;
pub use root::RootKey;
pub use rotation::{KeyInfo, KeyState, Rotation};
pub use seal::Sealer;
pub use signing::{SigningKeys, check_opens};
