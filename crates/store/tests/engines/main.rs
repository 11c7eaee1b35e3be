//! The store on its engines: what every engine must do, what only one of them can show, and backups from each to the other.
//! Where there is no PostgreSQL its tests pass and say so; with `PROVOST_TEST_REQUIRE` they fail.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod backups;
mod conformance;
mod postgres;
mod sqlite;
