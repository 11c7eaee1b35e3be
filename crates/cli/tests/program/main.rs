//! The program as its users run it: real processes, real sockets, real files.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]
#![expect(clippy::disallowed_methods, reason = "PATH and PROVOST_TEST_… come from the environment")]

mod admin;
mod advisories;
mod auth;
mod bench;
mod config;
mod context;
mod dev;
mod docs;
mod engine;
mod events;
mod formats;
mod golden;
mod iam;
mod images;
mod log;
mod manual;
mod names;
mod offline;
mod retries;
mod safety;
mod serve;
mod strangers;
mod support;
mod terminal;
mod tls;
mod unreachable;
mod urls;
