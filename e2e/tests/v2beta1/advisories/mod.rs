//! Advisories are read here; v1 writes them, where that is told.

mod list;
pub(crate) mod read;
