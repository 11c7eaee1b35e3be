//! The nouns of events.

pub mod subscriptions;
