//! What the store vouches for by codes (HMAC-SHA-256, RFC 2104) under keys that follow from the key-encryption key: the audit log with the
//! changes and events of its commits, the rows of signing keys, and backups. Whoever writes the database and has no such key can make
//! none of them.
//!
//! The audit log is a chain: each entry that has a code vouches for itself, for those without one before it, and for the code before
//! those. The last code is the *head*; a log that was cut off, or replaced by an older one, shows only to whom has kept a head.

mod entry;
mod head;
mod keys;
mod links;
mod rights;

pub(crate) use self::{
    entry::{Before, Content, Values, event_digest, finish},
    keys::{Code, Purpose},
    links::Links,
    rights::RightsDigest,
};
pub use self::{
    head::Head,
    keys::{Key, KeyId, Keys},
};

/// The method in the audit log of an entry that vouches for everything before it, as it was found.
pub const SEAL: &str = "seal audit log";
/// The method in the audit log of an entry that vouches for all before it that stay, as old ones go.
pub const TRIM: &str = "trim audit log";
/// The method in the audit log of the first entry under another key.
pub const REKEY: &str = "change key-encryption key";

/// A SHA-256.
pub(crate) type Digest = [u8; 32];
