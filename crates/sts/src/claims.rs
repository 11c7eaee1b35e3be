//! What identities ask of tokens: the rules for writing it down, and matching by it.
//!
//! A rule is compiled once; nothing that was not compiled can be matched.

mod aws_identity;
mod compiled;
mod dialect;
mod issuer_pattern;
mod issuer_url;
mod reading;
mod relationship;
mod text;
mod validate;

pub use aws_identity::CompiledAwsIdentity;
pub(crate) use aws_identity::{ACCOUNT, ARN, USER_ID};
pub use compiled::{Accepted, CompiledClaimMatch, Mismatch};
pub(crate) use compiled::{IssuerRule, admit_by_literals, audiences, subject};
pub(crate) use issuer_url::is_localhost;
pub use issuer_url::{UrlPolicy, is_loopback};
pub(crate) use relationship::is_dear;
pub use relationship::{Compiled, CompiledStaticKeys, unusable_keys};
pub use text::{MAX_CLAIMS, MAX_KEYS_TEXT, MAX_PATTERN, MAX_TEXT};
pub use validate::RelationshipCheck;
