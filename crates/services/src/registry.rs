//! The registry's metadata.

pub mod repos;
pub mod tags;

pub use repos::Repos;
pub use tags::Tags;
