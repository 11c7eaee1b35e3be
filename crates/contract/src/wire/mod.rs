//! From HTTP to a request's binary form: path variables, query parameters and JSON bodies become protobuf bytes, which are
//! then decoded like those of any gRPC request.
//!
//! Protobuf's own merge rules do the work: what is appended later wins over what came before, and pieces of one embedded
//! message flow together. [`Request`] knows the order; the functions below it are its parts.

mod error;
mod json;
mod parameter;
mod put;
mod request;
mod scalar;
mod time;

pub use error::{FieldError, JsonError};
pub use json::Document;
pub use parameter::{PARAMETERS_MAX, append_path_value, append_query};
pub use request::Request;

#[cfg(test)]
mod tests;
