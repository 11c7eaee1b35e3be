//! What list requests with pages and their answers have in common, generated from the descriptors.

use crate::{Message, chainguard::platform::common::UidpFilter};

/// A list request with pages (AIP-132, AIP-158).
pub trait ListRequest: Message {
    /// What every list request carries, of this one.
    fn paging(&self) -> Paging;
}

/// What every list request carries, as it arrived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paging {
    /// Which part of the tree.
    pub uidp: Option<UidpFilter>,
    /// How many items at most; 0 for the default.
    pub page_size: i32,
    /// Where to go on; empty for the first page.
    pub page_token: String,
    /// In which order; empty for the default.
    pub order_by: String,
    /// How many items to pass over, counted from the cursor.
    pub skip: i32,
}

/// The answer to a list request with pages.
pub trait ListAnswer: Message {
    /// What is listed.
    type Item: Message;

    /// The answer with these items, where the next page goes on, how many there are in all, and how many were passed over.
    fn page(items: Vec<Self::Item>, next_page_token: String, total: i64, skipped: i32) -> Self;
}
