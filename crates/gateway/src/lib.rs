//! The port of the server: accept loop, router, JSON codec, gRPC, the gate, error status.
//!
//! It serves the contract from handlers ([`Endpoint`]) that the program gives, and contains no noun of it.

mod activity;
mod body;
mod budget;
mod gate;
mod grpc;
mod json;
mod meta;
mod metrics;
mod observe;
mod peer;
mod port;
mod router;
mod server;
pub mod settings;
mod status;
pub mod testing;
pub mod tls;

pub use gate::StartError;
pub use metrics::Metrics;
pub use observe::Traces;
pub use router::RouterError;
pub use server::{Builder, Scrape, Server};
pub use settings::{Limits, Settings};
pub use tls::Tls;

/// A method of the contract with its handler.
pub type Endpoint = contract::Endpoint<std::sync::Arc<domain::Ctx>, domain::Error>;
