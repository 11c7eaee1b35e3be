//! The nouns of the registry.

pub mod deployments;
pub mod overlay_bindings;
pub mod overlays;
pub mod registry_settings;
pub mod repos;
pub mod tags;
