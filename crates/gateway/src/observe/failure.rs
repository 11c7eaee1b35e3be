//! The inside half of errors: logged once, where they are turned into an answer.

use std::error::Error as StdError;

use domain::{Error, Kind};

/// Logs what the caller is not told. Errors that are the caller's own are in the access log alone.
pub(crate) fn log(error: &Error, request_id: &str, method: Option<&str>) {
    let kind = error.kind().as_str();
    let causes = causes(error);
    match error.kind() {
        Kind::Internal => tracing::error!(request_id, method, kind, causes, "request failed"),
        Kind::Unavailable | Kind::DeadlineExceeded => {
            tracing::warn!(request_id, method, kind, causes, "request could not be served");
        }
        _ if causes.is_some() => tracing::debug!(request_id, method, kind, causes, "request refused"),
        _ => {}
    }
}

fn causes(error: &Error) -> Option<String> {
    let chain = std::iter::successors(error.source(), |cause: &&(dyn StdError + 'static)| (*cause).source());
    let texts: Vec<_> = chain.map(ToString::to_string).collect();
    (!texts.is_empty()).then(|| texts.join(": "))
}
