//! The v2beta1 API, noun by noun and verb by verb, over JSON and gRPC.

mod access_requests;
mod account_associations;
pub(crate) mod advisories;
mod at_once;
mod external_group_role_mappings;
pub(crate) mod group_invites;
pub(crate) mod groups;
pub(crate) mod identities;
mod identity_metadata;
pub(crate) mod identity_providers;
mod overlay_bindings;
pub(crate) mod overlays;
mod owner;
pub(crate) mod repos;
pub(crate) mod role_bindings;
pub(crate) mod roles;
pub(crate) mod security_advisories;
pub(crate) mod subscriptions;
pub(crate) mod tags;
pub(crate) mod terms;
mod visibility;

use contract::prost_types::FieldMask;

/// An update mask of these paths; none for no mask.
pub(crate) fn mask(paths: &[&str]) -> Option<FieldMask> {
    (!paths.is_empty()).then(|| FieldMask { paths: paths.iter().map(|path| (*path).to_owned()).collect() })
}

/// An identifier below `parent` that nothing has.
pub(crate) fn absent(parent: &str) -> String {
    format!("{parent}/{}", "0".repeat(16))
}

/// The identifier of a built-in role.
pub(crate) fn built_in(name: &str) -> String {
    access::built_in::find(name).expect("the role is built in").uid().to_string()
}
