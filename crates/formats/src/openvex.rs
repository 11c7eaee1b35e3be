//! OpenVEX (<https://github.com/openvex/spec>).

pub mod feed;
mod read;
mod states;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;

/// How the contexts of all its versions begin.
pub(crate) const CONTEXT: &str = "https://openvex.dev/ns";
