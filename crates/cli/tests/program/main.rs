//! The program as its users run it: real processes, real sockets, real files.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]
#![expect(clippy::disallowed_methods, reason = "PATH and PROVOST_TEST_KILLS come from the environment")]

mod admin;
mod auth;
mod crash;
mod dev;
mod iam;
mod images;
mod offline;
mod serve;
mod support;
