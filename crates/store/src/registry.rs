//! The nouns of the registry.

pub mod repos;
pub mod tags;
