//! The log: structured events on standard error, and what is logged, which may be changed while the server runs.

mod lines;
mod plain;

use std::{
    fmt,
    io::{IsTerminal, stderr},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{
    EnvFilter, Layer, Registry, fmt::layer as events, layer::SubscriberExt, registry::LookupSpan, reload, util::SubscriberInitExt,
};

pub use self::lines::Lines;
use self::plain::{Line, Plain, Utc};
use super::{
    StartError,
    settings::{self, LogFormat},
};

/// What was logged before a change, and what is logged now; the same without a change.
#[derive(Debug, Serialize, Deserialize)]
pub struct Filters {
    /// The filter before.
    pub before: String,
    /// The filter now.
    pub now: String,
}

/// The log of this process; there is one, as `tracing` has one subscriber.
static LOG: OnceLock<Log> = OnceLock::new();

/// Decides what is logged.
#[derive(Debug)]
pub(crate) struct Log {
    lines: Lines,
    filter: reload::Handle<EnvFilter, Registry>,
    state: Mutex<State>,
    #[cfg(feature = "otel")]
    traces: Option<super::otel::Traces>,
}

#[derive(Debug)]
struct State {
    /// The filter in use.
    now: String,
    /// The one to go back to when a time was given.
    usual: String,
    /// Counts the changes, so that only the last one is taken back.
    changes: u64,
}

/// Starts logging for the whole process, on standard error.
///
/// # Errors
/// When the filter cannot be read, or standard error cannot be written to.
pub fn start(log: &settings::Log) -> Result<(), StartError> {
    let out = Lines::to(stderr()).map_err(|error| StartError::while_doing("the log cannot be opened", &error))?;
    start_on(log, out, stderr().is_terminal())?;
    log_panics();
    Ok(())
}

/// Makes panics events of the log: standard error has nothing but those.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string);
        tracing::error!(target: "panic", location, "{}", panic.payload_as_str().unwrap_or("a task panicked"));
    }));
}

/// Starts logging for the whole process, in colour if `out` is a terminal.
///
/// # Errors
/// When the filter cannot be read.
pub fn start_on(log: &settings::Log, out: Lines, is_terminal: bool) -> Result<(), StartError> {
    let filter =
        EnvFilter::try_new(&log.filter).map_err(|error| StartError::while_doing("the log's filter cannot be read", &error))?;
    let (filter, handle) = reload::Layer::new(filter);
    let lines = layer(log.format, out.clone(), is_terminal).with_filter(filter);
    #[cfg(not(feature = "otel"))]
    tracing_subscriber::registry().with(lines).init();
    #[cfg(feature = "otel")]
    let traces = log.traces.as_ref().map(super::otel::Traces::start).transpose()?;
    #[cfg(feature = "otel")]
    tracing_subscriber::registry().with(lines).with(traces.as_ref().map(super::otel::Traces::layer)).init();
    let state = State { now: log.filter.clone(), usual: log.filter.clone(), changes: 0 };
    // Nobody starts the log twice: `init` would have panicked.
    _ = LOG.set(Log {
        lines: out,
        filter: handle,
        state: Mutex::new(state),
        #[cfg(feature = "otel")]
        traces,
    });
    Ok(())
}

/// Writes the lines.
fn layer<S>(format: LogFormat, out: Lines, is_terminal: bool) -> Box<dyn Layer<S> + Send + Sync>
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
{
    let lines = events().with_timer(Utc).with_writer(out);
    match format {
        LogFormat::Text if is_terminal => lines.with_ansi(true).boxed(),
        LogFormat::Text => lines.with_ansi(false).event_format(Line::default()).fmt_fields(Plain).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    }
}

/// The log of this process, once [`start`] has made it. A server inside another program has none.
pub(crate) fn running() -> Option<&'static Log> {
    LOG.get()
}

/// Finishes what is still being told elsewhere than in the log: traces, where this program has them.
#[cfg_attr(not(feature = "otel"), expect(clippy::unused_async, reason = "only traces have an end to wait for"))]
pub async fn stop() {
    #[cfg(feature = "otel")]
    if let Some(traces) = running().and_then(|log| log.traces.clone())
        && let Err(error) = tokio::task::spawn_blocking(move || traces.stop()).await
    {
        tracing::warn!(%error, "the last traces were not sent");
    }
}

/// Writes the lines that wait, as the last thing that a process does.
pub fn flush() {
    if let Some(log) = running() {
        // There is nowhere to tell that the log cannot be written.
        _ = log.lines.flush();
    }
}

impl Log {
    /// The filter in use.
    pub(crate) fn filter(&self) -> String {
        self.state().now.clone()
    }

    /// Logs by `filter` from now on, or for a time and then as before.
    ///
    /// # Errors
    /// What is wrong with the filter.
    pub(crate) fn change(&'static self, filter: &str, time: Option<Duration>) -> Result<Filters, BadFilter> {
        let parsed = read(filter)?;
        let mut state = self.state();
        let before = std::mem::replace(&mut state.now, filter.to_owned());
        state.changes += 1;
        match time {
            None => filter.clone_into(&mut state.usual),
            Some(time) => {
                let this = state.changes;
                tokio::spawn(async move {
                    tokio::time::sleep(time).await;
                    self.go_back(this);
                });
            }
        }
        self.apply(parsed);
        Ok(Filters { before, now: filter.to_owned() })
    }

    /// Takes a change back, unless another came after it.
    fn go_back(&self, change: u64) {
        let mut state = self.state();
        if state.changes == change {
            let usual = state.usual.clone();
            // It was read before.
            if let Ok(filter) = EnvFilter::try_new(&usual) {
                self.apply(filter);
            }
            tracing::info!(filter = usual, "the log filter is as before");
            state.now = usual;
        }
    }

    fn apply(&self, filter: EnvFilter) {
        if let Err(error) = self.filter.reload(filter) {
            tracing::error!(%error, "cannot change the log filter");
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a text is no filter, and what would be one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadFilter(String);

impl fmt::Display for BadFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; a filter is a level (error, warn, info, debug, trace, off) or parts with levels: info,store=debug", self.0)
    }
}

impl std::error::Error for BadFilter {}

/// Reads a filter. A lone word must be a level: the library takes any other for the name of a part, all of which is logged,
/// so that a slip of the pen would turn the log off.
fn read(text: &str) -> Result<EnvFilter, BadFilter> {
    for directive in text.split(',') {
        if directive.is_empty() {
            return Err(BadFilter(format!("{text:?} has an empty part")));
        }
        if !directive.contains(['=', '[']) && directive.parse::<LevelFilter>().is_err() {
            return Err(BadFilter(format!("{directive:?} is no level")));
        }
    }
    EnvFilter::try_new(text).map_err(|error| BadFilter(format!("{text:?} cannot be read: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_levels_and_parts_with_levels() {
        for good in ["info", "DEBUG", "off", "info,store=debug", "warn,exchange=trace", "info,gateway::observe=off"] {
            assert!(read(good).is_ok(), "{good}");
        }
        for (bad, why) in [
            ("", "has an empty part"),
            ("info,", "has an empty part"),
            ("inof", "\"inof\" is no level"),
            ("store", "\"store\" is no level"),
            ("store=loud", "cannot be read: error parsing level filter"),
        ] {
            let told = read(bad).expect_err(bad).to_string();
            assert!(told.contains(why) && told.ends_with("info,store=debug"), "{bad}: {told}");
        }
    }
}
