//! Advisories are read here; v1 writes them, where that is told.

mod imports;
mod list;
pub(crate) mod read;
