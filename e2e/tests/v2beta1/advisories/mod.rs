//! Advisories are read here; v1 writes them, where that is told.

pub(crate) mod imports;
mod list;
pub(crate) mod read;
