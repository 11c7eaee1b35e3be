//! The `provost` program: the settings of a server, and the commands, of which one runs it and others talk to one.

mod advice;
mod claims;
mod color;
mod commands;
mod config;
mod confirm;
mod contexts;
mod deleting;
mod describing;
mod draft;
mod enums;
mod env;
mod exit;
mod global;
mod input;
mod interrupt;
mod line;
mod listing;
mod manual;
mod output;
mod owners;
mod paths;
mod plain;
mod progress;
mod prompt;
mod reference;
mod resolve;
mod session;
mod target;
mod token_cache;
mod tree;
mod views;
mod waiting;

pub use config::server::reference;
pub use line::run;
pub use reference::command_reference;
