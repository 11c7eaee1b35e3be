//! What the published API does not have.

pub(crate) mod access_requests;
pub(crate) mod advisory_imports;
pub(crate) mod deliveries;
pub(crate) mod resource_limits;
pub(crate) mod visibility;
