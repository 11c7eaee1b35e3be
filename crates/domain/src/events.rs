//! The nouns of events.

pub mod subscription;

pub use subscription::{Subscription, SubscriptionSpec};

crate::revision::versioned! {
    Subscription: self;
}
