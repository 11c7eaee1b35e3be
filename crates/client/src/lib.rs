//! A typed client of the API, made from the contract: one call per RPC over gRPC, and plain JSON over HTTP.

mod channel;
mod client;
mod details;
mod error;
mod examine;
mod options;
mod policy;
mod retry;
mod stranger;
mod token;

pub mod http;

pub use client::{Answer, Client};
pub use details::{Details, Precondition, Violation};
pub use error::Error;
pub use options::Options;
pub use policy::Policy;
pub use retry::Retry;
pub use token::Token;
pub use tonic::Code;

/// What the client calls itself in `user-agent`.
pub const USER_AGENT: &str = concat!("provost/", env!("CARGO_PKG_VERSION"));
