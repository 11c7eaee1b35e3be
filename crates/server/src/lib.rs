//! The server, assembled from the crates that make it up. The program and the tests start the same one.
//!
//! ```no_run
//! # async fn start(clock: std::sync::Arc<dyn domain::Clock>, entropy: std::sync::Arc<dyn domain::Entropy>) -> Result<(), server::StartError> {
//! use server::{Settings, assemble};
//!
//! let settings = Settings::dev(([127, 0, 0, 1], 0).into(), "provost-data");
//! let running = assemble(settings, clock, entropy).await?;
//! println!("ready on {}", running.base_url);
//! running.stop().await;
//! # Ok(())
//! # }
//! ```

pub mod admin;
mod assembly;
mod core;
mod dev;
mod error;
pub mod logging;
mod operators;
#[cfg(feature = "otel")]
mod otel;
pub mod private;
mod process;
mod ready;
mod record;
pub mod settings;
mod telemetry;
pub mod time;
pub mod tls;

pub use assembly::{Running, assemble, sts_settings};
pub use core::Core;
pub use dev::DevAccount;
pub use error::StartError;
pub use operators::Operators;
pub use record::Record;
pub use settings::Settings;
