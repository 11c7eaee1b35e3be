//! Delivery of events to subscriptions: `CloudEvents` 1.0 over HTTP, in binary mode.
//!
//! [`Deliverer`] reads the outbox, hands events to the subscriptions that they concern, and sends them: each subscription's in order and
//! one at a time, many subscriptions at once, on all nodes that share the database. An event is sent until its sink has taken it, or it
//! is given up; what was given up is kept as a dead letter. How far a subscription has come is in the database, so whatever a crash cuts
//! off is sent again, with the same id.

mod deliverer;
mod envelope;
mod metrics;
mod routing;
mod settings;
mod shared;
mod turn;

pub use deliverer::{Deliverer, Parts};
pub use settings::Settings;
