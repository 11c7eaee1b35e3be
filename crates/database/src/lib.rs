//! The database: connections, transactions that are committed together, and the schema, on SQLite or PostgreSQL.
//!
//! Above it there is one SQL text with `$1` placeholders; what differs between engines is below. It knows no table but its own:
//! `schema_version`, `revision` and `writers` (see [`Step`]). What a request does is a job that gets a [`Connection`]; what all
//! requests of a group commit add up is behind [`Sums`].
//!
//! A statement that fails inside a write spoils that write: its transaction cannot go on (one engine would not allow it).

mod connection;
mod engine;
mod fault;
mod index;
mod metrics;
mod param;
mod place;
mod postgres;
mod probe;
mod progress;
mod queue;
mod row;
mod sqlite;
mod steps;
mod sums;

pub use connection::Connection;
pub use engine::{Engine, Look, Snapshots, Source, alone};
pub use fault::{Executed, Fault, closed};
pub use index::Index;
pub use metrics::{Metrics, Reading};
pub use param::Param;
pub use place::{Database, DatabaseUrlError, Postgres, SslMode};
pub use postgres::Scratch;
pub use probe::{Probe, Question, Way};
pub use queue::Job;
pub use row::{Row, json, word};
pub use sqlite::LeftOut;
pub use steps::{Step, left};
pub use sums::{Batch, Sums};
