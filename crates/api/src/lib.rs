//! Adapters between the wire and the domain.
//!
//! One async function per implemented RPC: it reads the request into domain values, lets the use case act and writes the
//! outcome as a message. Rules live in `domain` and `services`; here is only what belongs to one version of the wire.
//! A method that is not registered here answers UNIMPLEMENTED.
//!
//! Modules are named like the nouns in `services`; `convert` in each holds the two directions.

pub mod feeds;
pub mod issuer;

mod account_association;
mod advisory;
mod endpoint;
mod events;
mod field;
mod identity_provider;
mod list;
mod mask;
mod mirror;
mod noun;
mod provost;
mod publications;
mod relationship;
mod scim;
mod time;
mod uidp;
mod v1;
mod v2beta1;

#[cfg(test)]
mod required;
#[cfg(test)]
mod specs;

use services::UseCases;
use sts::Exchange;

pub use endpoint::Endpoint;
pub use events::Events;

/// What the ping methods answer.
const PONG: &str = "pong";

/// Every implemented RPC, for the gateway to serve.
#[must_use]
pub fn endpoints(use_cases: &UseCases, exchange: &Exchange) -> Vec<Endpoint> {
    [
        provost::access_requests::endpoints(&use_cases.access_requests),
        provost::deliveries::endpoints(&use_cases.deliveries),
        provost::advisory_imports::endpoints(&use_cases.advisory_imports),
        provost::advisory_imports::changes(&use_cases.advisories),
        provost::resource_limits::endpoints(&use_cases.groups),
        provost::visibility::endpoints(&use_cases.visibilities),
        v1::access_requests::endpoints(&use_cases.access_requests),
        v1::account_associations::endpoints(&use_cases.account_associations),
        v1::advisories::endpoints(&use_cases.advisories),
        v1::auth::endpoints(use_cases, exchange),
        v1::builds::endpoints(),
        v1::deployments::endpoints(&use_cases.deployments),
        v1::external_group_role_mappings::endpoints(&use_cases.external_group_role_mappings),
        v1::group_invites::endpoints(&use_cases.group_invites),
        v1::groups::endpoints(&use_cases.groups),
        v1::identities::endpoints(&use_cases.identities),
        v1::identity_metadata::endpoints(&use_cases.identities),
        v1::identity_providers::endpoints(&use_cases.identity_providers),
        v1::oidc::endpoints(exchange),
        v1::ping::endpoints(),
        v1::registry_settings::endpoints(&use_cases.registry_settings),
        v1::repos::endpoints(&use_cases.repos),
        v1::role_bindings::endpoints(&use_cases.role_bindings),
        v1::roles::endpoints(&use_cases.roles),
        v1::security_advisories::endpoints(&use_cases.publications),
        v1::subscriptions::endpoints(&use_cases.subscriptions),
        v1::sync_statuses::endpoints(&use_cases.repos),
        v1::tags::endpoints(&use_cases.tags),
        v1::terms::endpoints(&use_cases.terms),
        v2beta1::access_requests::endpoints(&use_cases.access_requests),
        v2beta1::account_associations::endpoints(&use_cases.account_associations),
        v2beta1::advisories::endpoints(&use_cases.advisories),
        v2beta1::external_group_role_mappings::endpoints(&use_cases.external_group_role_mappings),
        v2beta1::group_invites::endpoints(&use_cases.group_invites),
        v2beta1::groups::endpoints(&use_cases.groups),
        v2beta1::identities::endpoints(&use_cases.identities),
        v2beta1::identity_metadata::endpoints(&use_cases.identities),
        v2beta1::identity_providers::endpoints(&use_cases.identity_providers),
        v2beta1::overlay_bindings::endpoints(&use_cases.overlay_bindings),
        v2beta1::overlays::endpoints(&use_cases.overlays),
        v2beta1::ping::endpoints(),
        v2beta1::repos::endpoints(&use_cases.repos),
        v2beta1::role_bindings::endpoints(&use_cases.role_bindings),
        v2beta1::roles::endpoints(&use_cases.roles),
        v2beta1::security_advisories::endpoints(&use_cases.publications),
        v2beta1::subscriptions::endpoints(&use_cases.subscriptions),
        v2beta1::tags::endpoints(&use_cases.tags),
        v2beta1::terms::endpoints(&use_cases.terms),
    ]
    .concat()
}
