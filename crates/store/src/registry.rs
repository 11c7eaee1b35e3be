//! The nouns of the registry.

pub mod repos;
