//! What the published API does not have.

pub(crate) mod access_requests;
pub(crate) mod deliveries;
pub(crate) mod resource_limits;
pub(crate) mod visibility;
