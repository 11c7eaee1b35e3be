//! PostgreSQL servers for tests: what a test gets, and what one that is killed leaves.

mod cluster;
mod left_behind;
