//! What is special about subscriptions. What holds for every noun is proved for them with the others.

mod create;
mod delete;

use contract::chainguard::platform::events::v2beta1::{CreateSubscriptionRequest, Subscription};

/// A request to tell `sink` of what happens in the group `parent`.
pub(crate) fn new_subscription(parent: &str, sink: &str) -> CreateSubscriptionRequest {
    let subscription = Subscription { sink: sink.into(), ..Subscription::default() };
    CreateSubscriptionRequest { parent: parent.into(), subscription: Some(subscription) }
}
