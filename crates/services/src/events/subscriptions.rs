//! Subscriptions: who is told what happens in a group.

mod create;
mod rules;

use std::sync::Arc;

use domain::{events::Subscription, ports::CheckUrl};

pub use store::events::subscriptions::SubscriptionFilter;

use crate::nouns::{Noun, Nouns};

/// The use cases of subscriptions. They never change: who wants another sink makes another subscription.
pub type Subscriptions = Nouns<Subscription>;

impl Noun for Subscription {
    const MOST: u64 = 100; // each event of the group is sent to all of them

    type Answer = Self;
    type Filter = SubscriptionFilter;
    type Needs = Arc<dyn CheckUrl>;
}
