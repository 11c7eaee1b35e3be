//! Other issuers: asking them for their keys without being led astray, and remembering the answers.

mod address;
mod cache;
mod client;
mod discovery;
mod fetcher;
mod metrics;
mod places;

pub use address::{AddressPolicy, Resolver, SystemResolver};
pub use cache::{Found, Issuers};
pub use client::FetchError;
pub(crate) use client::GuardedClient;
pub use places::{NotAPlace, Place, Places};
