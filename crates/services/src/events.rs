//! Who is told what happens.

pub mod deliveries;
pub mod subscriptions;

pub use deliveries::Deliveries;
pub use subscriptions::Subscriptions;
