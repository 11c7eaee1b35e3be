//! Files that commands read: what they hold, or what standard input does.

use std::{
    fs,
    io::{Read as _, stdin},
};

use crate::exit::Failure;

/// The text in `file`, or on standard input when that is `-`. `what` is what people call it.
///
/// # Errors
/// Usage when it cannot be read.
pub(crate) fn text(what: &str, file: &str) -> Result<String, Failure> {
    let mut piped = String::new();
    let read = if file == "-" { stdin().read_to_string(&mut piped).map(|_| piped) } else { fs::read_to_string(file) };
    let from = if file == "-" { "standard input" } else { file };
    read.map_err(|error| Failure::usage(format!("cannot read {what} from {from}: {error}")))
}
