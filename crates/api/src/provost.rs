//! What the published API does not have.

pub(crate) mod access_requests;
pub(crate) mod visibility;
