//! The words of Provost: identifiers, names, capabilities, errors, the call context and the ports that other crates implement.
//!
//! Nothing here does I/O, reads a clock or draws random numbers: time and randomness arrive through [`Ctx`].
//! Nothing here knows the wire: protobuf, HTTP and JSON shapes belong to `contract`, `gateway` and `api`.
//! The nouns derive serde only because the store keeps nested shapes and event snapshots as JSON text.

pub mod caller;
pub mod capability;
pub mod change;
pub mod ctx;
pub mod entropy;
pub mod error;
pub mod events;
pub mod grant;
mod grants;
pub mod iam;
pub mod list;
pub mod network;
pub mod ports;
pub mod registry;
pub mod revision;
pub mod secret;
pub mod text;
pub mod time;
pub mod uidp;
pub mod vulnerabilities;

use std::sync::Arc;

pub use caller::{Actor, Caller, Upstream};
pub use capability::{Capability, CapabilitySet};
pub use change::{Noun, Op};
pub use ctx::{Ctx, EventRule};
pub use entropy::Entropy;
pub use error::{Error, Kind, Rule, Violations};
pub use grant::{Grant, Narrowing, Place, Scopes};
pub use grants::Grants;
pub use list::{ListRequest, Order, OrderField, Page, UidpFilter};
pub use network::{Network, NotANetwork};
pub use revision::{EntityTags, Etag, Revision, Version, Versioned};
pub use secret::{LentSecret, Sealed, Secret};
pub use text::{Description, Name};
pub use time::{Clock, Timestamp};
pub use uidp::Uidp;

/// What a use case answers: a value or the error that the caller sees.
pub type Result<T> = std::result::Result<T, Error>;

/// Turns the current value of a noun into the wished one. It takes as long as the request is large, so it never runs inside a
/// write; when the value has changed by the time of the write, it runs again on what the value is then.
///
/// Returning an error leaves everything as it was.
pub type Patch<T> = Arc<dyn Fn(&T) -> Result<T> + Send + Sync>;
