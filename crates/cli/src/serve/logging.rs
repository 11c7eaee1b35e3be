//! The log: structured events on standard error.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::{EnvFilter, fmt};

use super::{StartError, settings::Log};

/// What a line of the log looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people
    Text,
    /// One JSON object per line
    Json,
}

/// Starts logging for the whole process.
///
/// # Errors
/// When the filter cannot be read.
pub(crate) fn start(log: &Log) -> Result<(), StartError> {
    let filter =
        EnvFilter::try_new(&log.filter).map_err(|error| StartError::while_doing("the log's filter cannot be read", &error))?;
    let builder = fmt().with_env_filter(filter).with_writer(stderr);
    match log.format {
        LogFormat::Text => builder.with_ansi(stderr().is_terminal()).init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
    Ok(())
}
