//! The v1 API beside v2beta1: what differs is shown, what is the same is proved to be of the same rows.

mod account_associations;
pub(crate) mod advisories;
mod builds;
mod deployments;
mod external_group_role_mappings;
mod group_invites;
mod groups;
mod identities;
mod identity_providers;
mod registrations;
mod registry_settings;
mod repos;
mod role_bindings;
mod roles;
mod security_advisories;
mod subscriptions;
mod sync_statuses;
mod tags;

use contract::chainguard::platform::common::UidpFilter;

/// Everything at and below this place.
fn below(place: &str) -> UidpFilter {
    UidpFilter { descendants_of: place.into(), ..UidpFilter::default() }
}
