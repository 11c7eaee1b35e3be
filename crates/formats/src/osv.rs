//! The Open Source Vulnerability format (<https://ossf.github.io/osv-schema/>).

pub(crate) mod ecosystems;
mod narrow;
mod query;
mod read;
mod versions;
mod write;

pub use ecosystems::folder;
pub use narrow::{Package, narrow};
pub use query::{Looked, Seen, spellings};
pub(crate) use read::read;
pub(crate) use write::write;

/// What this program adds below `database_specific`, so that nothing is lost between two of its kind.
const OWN: &str = "provost";
