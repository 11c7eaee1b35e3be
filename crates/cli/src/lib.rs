//! The `provost` program: the server and the command line that talks to one.
//!
//! The library half exists so that tests start in-process exactly the server that the program starts; see [`serve`].

mod claims;
mod commands;
mod config;
mod confirm;
mod draft;
mod exit;
mod listing;
mod output;
mod progress;
mod resolve;
mod session;
mod token_cache;
mod views;

pub mod clock;
pub mod entropy;
pub mod serve;

pub use commands::run;
pub use config::server::reference;
