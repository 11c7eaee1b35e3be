//! The registry's metadata.

pub mod deployments;
pub mod overlay_bindings;
pub mod overlays;
pub mod registry_settings;
pub mod repos;
pub mod tags;
pub mod visibility;

pub use deployments::Deployments;
pub use overlay_bindings::OverlayBindings;
pub use overlays::Overlays;
pub use registry_settings::RegistriesSettings;
pub use repos::Repos;
pub use tags::Tags;
pub use visibility::Visibilities;
