//! Adapters between the wire and the domain.
//!
//! One async function per implemented RPC: it reads the request into domain values, lets the use case act and writes the
//! outcome as a message. Rules live in `domain` and `services`; here is only what belongs to one version of the wire.
//! A method that is not registered here answers UNIMPLEMENTED.
//!
//! Modules are named like the nouns in `services`; `convert` in each holds the two directions.

pub mod issuer;

mod endpoint;
mod field;
mod list;
mod mask;
mod time;
mod uidp;
mod v1;
mod v2beta1;

#[cfg(test)]
mod required;
#[cfg(test)]
mod specs;

use services::{Groups, Identities, Repos, RoleBindings, Roles, WhoAmI};
use sts::Exchange;

pub use endpoint::Endpoint;

/// What the ping methods answer.
const PONG: &str = "pong";

/// The use cases that the endpoints call.
#[derive(Clone, Debug)]
pub struct Services {
    /// Groups.
    pub groups: Groups,
    /// Identities.
    pub identities: Identities,
    /// Roles.
    pub roles: Roles,
    /// Role bindings.
    pub role_bindings: RoleBindings,
    /// Repositories.
    pub repos: Repos,
    /// What a token stands for.
    pub who_am_i: WhoAmI,
    /// The token exchange.
    pub exchange: Exchange,
}

/// Every implemented RPC, for the gateway to serve.
#[must_use]
pub fn endpoints(services: &Services) -> Vec<Endpoint> {
    [
        v1::auth::endpoints(&services.who_am_i),
        v1::oidc::endpoints(&services.exchange),
        v1::ping::endpoints(),
        v2beta1::groups::endpoints(&services.groups),
        v2beta1::identities::endpoints(&services.identities),
        v2beta1::ping::endpoints(),
        v2beta1::repos::endpoints(&services.repos),
        v2beta1::role_bindings::endpoints(&services.role_bindings),
        v2beta1::roles::endpoints(&services.roles),
    ]
    .concat()
}
