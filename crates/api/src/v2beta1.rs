//! The second version of the API. `v2` is the same under another name, which the gateway takes care of.

pub(crate) mod access_requests;
pub(crate) mod account_associations;
pub(crate) mod advisories;
pub(crate) mod external_group_role_mappings;
pub(crate) mod group_invites;
pub(crate) mod groups;
pub(crate) mod identities;
pub(crate) mod identity_metadata;
pub(crate) mod identity_providers;
pub(crate) mod overlay_bindings;
pub(crate) mod overlays;
pub(crate) mod ping;
pub(crate) mod repos;
pub(crate) mod role_bindings;
pub(crate) mod roles;
pub(crate) mod security_advisories;
pub(crate) mod subscriptions;
pub(crate) mod tags;
pub(crate) mod terms;
