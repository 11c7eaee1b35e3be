//! The server, assembled from the crates that make it up. The program and the tests start the same one.
//!
//! ```no_run
//! # async fn start() -> Result<(), cli::serve::StartError> {
//! use std::sync::Arc;
//! use cli::{clock::SystemClock, entropy::SystemEntropy, serve::{Settings, assemble}};
//!
//! let settings = Settings::dev(([127, 0, 0, 1], 0).into(), "provost-data");
//! let running = assemble(settings, Arc::new(SystemClock), Arc::new(SystemEntropy::default())).await?;
//! println!("ready on {}", running.base_url);
//! running.stop().await;
//! # Ok(())
//! # }
//! ```

pub(crate) mod admin;
mod assembly;
mod core;
mod dev;
mod error;
pub(crate) mod logging;
mod operators;
#[cfg(feature = "otel")]
mod otel;
mod process;
mod ready;
pub(crate) mod record;
mod settings;
pub(crate) mod signals;
pub(crate) mod supervisor;
mod telemetry;
pub(crate) mod tls;

pub(crate) use assembly::sts_settings;
pub use assembly::{Running, assemble};
pub(crate) use core::Core;
pub use dev::DevAccount;
pub use error::StartError;
pub use operators::Operators;
pub use settings::{Log, LogFormat, Outbound, Settings, Tls, Urls};
pub use tls::TlsFiles;
