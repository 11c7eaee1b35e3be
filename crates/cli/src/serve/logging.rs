//! The log: structured events on standard error.

use std::io::{IsTerminal, stderr};

use clap::ValueEnum;
use tracing_subscriber::{EnvFilter, fmt};

use super::StartError;

/// What a line of the log looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people
    Text,
    /// One JSON object per line
    Json,
}

/// Starts logging for the whole process. Without a filter: everything from `info` up.
///
/// # Errors
/// When the filter cannot be read.
pub(crate) fn start(format: LogFormat, filter: Option<&str>) -> Result<(), StartError> {
    let filter = EnvFilter::try_new(filter.unwrap_or("info"))
        .map_err(|error| StartError::while_doing("PROVOST_LOG or RUST_LOG cannot be read as a filter", &error))?;
    let builder = fmt().with_env_filter(filter).with_writer(stderr);
    match format {
        LogFormat::Text => builder.with_ansi(stderr().is_terminal()).init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
    Ok(())
}
