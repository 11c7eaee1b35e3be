//! Where a row stands in lists.

use domain::Timestamp;

/// What decides, beside its identifier, where a row stands in every order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub(crate) name: String,
    pub(crate) created_at: Timestamp,
}

/// Where a row stood and where it stands: it came, went, changed its place or stayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) from: Option<Spot>,
    pub(crate) to: Option<Spot>,
}
