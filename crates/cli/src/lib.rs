//! The `provost` program: the server and the command line that talks to one.
//!
//! The library half exists so that tests start in-process exactly the server that the program starts; see [`serve`].

mod advice;
mod claims;
mod color;
mod commands;
mod config;
mod confirm;
mod draft;
mod env;
mod exit;
mod global;
mod interrupt;
mod line;
mod listing;
mod manual;
mod output;
mod paths;
mod plain;
mod private;
mod progress;
mod prompt;
mod reference;
mod resolve;
mod session;
mod token_cache;
mod tree;
mod views;
mod waiting;

pub mod clock;
pub mod entropy;
pub mod serve;

pub use config::server::reference;
pub use line::run;
pub use reference::command_reference;
