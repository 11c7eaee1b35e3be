//! Which database keeps the data.

mod libpq;
mod postgres;

pub use postgres::{DatabaseUrlError, Postgres, SslMode};

/// The database behind the store.
#[derive(Clone, Debug, Default)]
pub enum Database {
    /// SQLite, embedded: a file in the data folder. One server at a time.
    #[default]
    Sqlite,
    /// PostgreSQL 15 or later, over the network. Several servers may share it.
    Postgres(Postgres),
}
