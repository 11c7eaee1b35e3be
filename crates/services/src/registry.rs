//! The registry's metadata.

pub mod repos;

pub use repos::Repos;
