//! Access requests: users who ask to be let into an organization, and what its owners do with them.

mod ask;
mod grant;
mod refuse;

use domain::iam::AccessRequest;

pub use store::iam::access_requests::AccessRequestFilter;

use crate::nouns::{Noun, Nouns};

/// The use cases of access requests.
pub type AccessRequests = Nouns<AccessRequest>;

impl Noun for AccessRequest {
    const MOST: u64 = 1_000;
    const ORDER: &'static str = "created_at";

    type Answer = Self;
    type Filter = AccessRequestFilter;
    type Needs = ();
}
