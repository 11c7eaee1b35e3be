//! Subscriptions: who is told what happens in a group.

use serde::{Deserialize, Serialize};

use crate::{revision::Revision, time::Timestamp, uidp::Uidp};

/// A URL that is told what happens in a group and below it. It never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// Its identifier; the parent is the group.
    pub uid: Uidp,
    /// What callers may set.
    pub spec: SubscriptionSpec,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was made: it never changes.
    pub updated_at: Timestamp,
    /// The commit that wrote it.
    pub revision: Revision,
}

/// What callers may set of a subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionSpec {
    /// The https URL to send events to. Several subscriptions of a group may have the same.
    pub sink: String,
}
