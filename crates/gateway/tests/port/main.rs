//! The port, asked from outside over real connections, with small handlers over real methods of the contract.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise, in its helpers too"
)]

mod decoding;
mod discovery;
mod errors;
mod gate;
mod idempotency;
mod json;
mod lifecycle;
mod limits;
mod log;
mod messages;
mod shares;
mod support;
mod tls;
