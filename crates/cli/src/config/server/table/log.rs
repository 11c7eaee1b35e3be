//! Section `[log]`.

use server::settings::LogFormat;
use tracing_subscriber::EnvFilter;

use super::super::{Default, Key, log_filter, parse::one};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "log.format",
        flag: "log-format",
        variable: "PROVOST_LOG_FORMAT",
        value: "FORMAT",
        default: Default::Is("text"),
        summary: "Format of the log on standard error: text or json",
        apply: |settings, texts| {
            let format = |text: &str| match text {
                "text" => Ok(LogFormat::Text),
                "json" => Ok(LogFormat::Json),
                _ => Err(format!("{text:?} is neither text nor json")),
            };
            one(texts, format).map(|format| settings.log.format = format)
        },
        ..Key::BASE
    },
    Key {
        path: "log.filter",
        flag: "log-filter",
        variable: "PROVOST_LOG",
        value: "FILTER",
        default: Default::Is("info"),
        summary: "Log filter: error, warn, info, debug or trace, and target=level pairs, separated by commas",
        more: "The syntax is that of `tracing_subscriber::EnvFilter`, such as `info,issuers=debug`.",
        other_variable: Some("RUST_LOG"),
        apply: |settings, texts| one(texts, filter).map(|filter| settings.log.filter = filter),
        ..Key::BASE
    },
];

fn filter(text: &str) -> Result<String, String> {
    let readable = EnvFilter::try_new(text).map_err(|error| format!("{text:?} cannot be read as a filter: {error}"));
    readable?;
    log_filter::check(text)?;
    Ok(text.to_owned())
}
