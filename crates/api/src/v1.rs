//! The first version of the API, and the services that never had another.

pub(crate) mod access_requests;
pub(crate) mod account_associations;
pub(crate) mod advisories;
pub(crate) mod auth;
pub(crate) mod builds;
pub(crate) mod deployments;
pub(crate) mod external_group_role_mappings;
pub(crate) mod group_invites;
pub(crate) mod groups;
pub(crate) mod identities;
pub(crate) mod identity_metadata;
pub(crate) mod identity_providers;
pub(crate) mod oidc;
pub(crate) mod ping;
pub(crate) mod registry_settings;
pub(crate) mod repos;
pub(crate) mod role_bindings;
pub(crate) mod roles;
pub(crate) mod security_advisories;
pub(crate) mod subscriptions;
pub(crate) mod sync_statuses;
pub(crate) mod tags;
pub(crate) mod terms;

/// What the place of a new resource is called where this version calls it `parent_id`.
fn parent_id(path: &str) -> Option<String> {
    (path == "parent").then(|| "parent_id".to_owned())
}
