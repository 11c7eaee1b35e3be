//! Who is told what happens.

pub mod subscriptions;

pub use subscriptions::Subscriptions;
