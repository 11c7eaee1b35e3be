//! The server, assembled from the crates that make it up. The program and the tests start the same one.
//!
//! ```no_run
//! # async fn start() -> Result<(), server::StartError> {
//! use std::sync::Arc;
//! use server::{Settings, SystemClock, SystemEntropy, assemble};
//!
//! let settings = Settings::dev(([127, 0, 0, 1], 0).into(), "provost-data");
//! let running = assemble(settings, Arc::new(SystemClock), Arc::new(SystemEntropy::default())).await?;
//! println!("ready on {}", running.base_url);
//! running.stop().await;
//! # Ok(())
//! # }
//! ```

pub mod admin;
mod assembly;
mod clock;
mod core;
mod dev;
mod entropy;
mod error;
mod heads;
pub mod logging;
mod operators;
#[cfg(feature = "otel")]
mod otel;
pub mod private;
mod process;
mod ready;
mod record;
mod retention;
pub mod settings;
mod telemetry;
mod terms;
pub mod time;
pub mod tls;

pub use assembly::{Running, assemble, sts_settings};
pub use clock::SystemClock;
pub use core::Core;
pub use dev::DevAccount;
pub use entropy::SystemEntropy;
pub use error::StartError;
pub use operators::Operators;
pub use record::Record;
pub use settings::Settings;
