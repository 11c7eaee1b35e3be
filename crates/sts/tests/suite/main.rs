//! The token service over a real store and issuers on loopback.
#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

mod exchange;
mod issuers;
mod jws;
mod keys;
mod sessions;
#[path = "../support/mod.rs"]
mod support;
