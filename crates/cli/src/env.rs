//! The environment variables that are neither flags nor settings of the server.
#![expect(clippy::disallowed_methods, reason = "this is where the environment is read")]

use std::{os::unix::fs::MetadataExt, path::PathBuf};

use client::Token;
#[cfg(feature = "otel")]
use server::settings::Traces;

/// The variables of this program that are no settings of the server: that of this file, and those of flags.
pub(crate) const VARIABLES: [&str; 11] = [
    "PROVOST_TOKEN",
    "PROVOST_CONTEXT",
    "PROVOST_API",
    "PROVOST_ISSUER",
    "PROVOST_OUTPUT",
    "PROVOST_RETRY_FOR",
    "PROVOST_YES",
    "PROVOST_NO_INPUT",
    "PROVOST_COLOR",
    "PROVOST_AUDIENCE",
    "PROVOST_IDENTITY_TOKEN",
];

/// What the environment says about colours.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a variable of its own")]
pub(crate) struct Wishes {
    /// `NO_COLOR` has a value.
    pub(crate) none: bool,
    /// `CLICOLOR_FORCE` has a value but 0.
    pub(crate) forced: bool,
    /// `CLICOLOR` is 0.
    pub(crate) off: bool,
    /// `TERM` is `dumb`.
    pub(crate) dumb: bool,
}

/// `PROVOST_TOKEN`: the API token to use instead of the cached one.
pub(crate) fn token() -> Option<Token> {
    let token = Token::new(std::env::var("PROVOST_TOKEN").ok()?);
    (!token.expose().is_empty()).then_some(token)
}

/// The user's folder for caches: `$XDG_CACHE_HOME`, else `~/.cache`.
pub(crate) fn cache_dir() -> Option<PathBuf> {
    home_dir("XDG_CACHE_HOME", ".cache")
}

/// The user's folder for configuration: `$XDG_CONFIG_HOME`, else `~/.config`.
pub(crate) fn config_dir() -> Option<PathBuf> {
    home_dir("XDG_CONFIG_HOME", ".config")
}

/// The folder that `variable` names, else the one of this name in the user's home. The XDG Base Directory Specification has
/// relative paths ignored.
fn home_dir(variable: &str, usual: &str) -> Option<PathBuf> {
    absolute(variable).or_else(|| absolute("HOME").map(|home| home.join(usual)))
}

fn absolute(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The variables of folders that have a relative path, and are ignored for that.
pub(crate) fn ignored_folders() -> Vec<(&'static str, PathBuf)> {
    let given = ["XDG_CACHE_HOME", "XDG_CONFIG_HOME"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?.into())));
    given.filter(|(_, path): &(_, PathBuf)| path.is_relative() && !path.as_os_str().is_empty()).collect()
}

/// The system's user that runs this program, by number, for the audit log.
pub(crate) fn system_user() -> String {
    let owner = std::fs::metadata("/proc/self").map(|process| process.uid());
    owner.map_or_else(|_| "unknown".to_owned(), |uid| uid.to_string())
}

/// Traces, if the variables of OpenTelemetry ask for them and name a receiver.
#[cfg(feature = "otel")]
pub(crate) fn traces() -> Option<Traces> {
    let text = |name| std::env::var(name).unwrap_or_default();
    let named =
        ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"].into_iter().any(|name| !text(name).is_empty());
    let wanted = named && !text("OTEL_SDK_DISABLED").eq_ignore_ascii_case("true") && text("OTEL_TRACES_EXPORTER") != "none";
    wanted.then(|| Traces { service_name: Some(text("OTEL_SERVICE_NAME")).filter(|name| !name.is_empty()) })
}

/// What the environment says about colours: the variables that many programs share.
pub(crate) fn color_wishes() -> Wishes {
    let value = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    Wishes {
        none: value("NO_COLOR").is_some(),
        forced: value("CLICOLOR_FORCE").is_some_and(|value| value != "0"),
        off: value("CLICOLOR").is_some_and(|value| value == "0"),
        dumb: dumb_terminal(),
    }
}

/// What `PROVOST_COLOR` says; the flag is read before the command line as a whole is.
pub(crate) fn color() -> Option<String> {
    std::env::var("PROVOST_COLOR").ok()
}

/// Whether `TERM` names a terminal that only prints.
pub(crate) fn dumb_terminal() -> bool {
    std::env::var("TERM").is_ok_and(|term| term == "dumb")
}

/// Whether `CI` says that nobody is there to answer.
pub(crate) fn unattended() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}
