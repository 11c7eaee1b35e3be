//! What is told about requests: their id, who sent them, one access-log event each, and failures with their cause.

mod access_log;
mod failure;
mod path;
mod request_id;
mod span;

pub(crate) use access_log::{Record, agent, known};
pub(crate) use failure::log as log_failure;
pub(crate) use request_id::{HEADER as REQUEST_ID, of as request_id};
pub(crate) use span::RequestSpan;
pub use span::Traces;
