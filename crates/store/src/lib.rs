//! The store: everything that Provost remembers, behind a [`Reader`] and a [`Writer`].
//!
//! A [`Reader`] is one unchanging snapshot. A write is a closure over a [`Writer`], run in a transaction together with its
//! audit row, its rows in the feed of changes, its events and its revision. What is done with every noun's rows is in [`rows`], what
//! with one noun's alone in the module of its name; functions that read take a reader or a writer alike.
//!
//! SQL of nouns is here alone. Which engine runs it is for the crate `database` to know.

pub mod audit;
pub mod backup;
pub mod chain;
pub mod changes;
pub mod check;
mod config;
mod counts;
mod cursor;
pub mod deliveries;
pub mod events;
mod fences;
mod floor;
pub mod iam;
pub mod idempotency;
pub mod later;
pub mod list;
mod metrics;
mod nouns;
pub mod outbox;
mod pending;
mod position;
mod ranks;
mod reader;
pub mod registry;
pub mod rekey;
pub mod retention;
pub mod rows;
pub mod schema;
pub mod seal;
pub mod sessions;
pub mod signing_keys;
mod spot;
#[cfg(test)]
mod still;
mod store;
mod table;
pub mod vulnerabilities;
mod writer;
mod writes;

use std::pin::Pin;

pub use audit::AuditEntry;
pub use config::StoreConfig;
pub use cursor::{Cursor, CursorKey};
pub use database::{Database, DatabaseUrlError, Postgres, Scratch, SslMode};
pub use later::Later;
pub use list::{Filter, ListQuery, Listed, Term};
pub use metrics::Metrics;
pub use reader::Reader;
pub use rows::Stored;
pub use store::{Standing, Store};
pub use writer::Writer;

/// The future of a write: it awaits nothing but its writer's own functions.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
