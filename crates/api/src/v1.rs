//! The first version of the API, and the services that never had another.

pub(crate) mod auth;
pub(crate) mod oidc;
pub(crate) mod ping;

mod groups;
mod roles;
