//! `provost version`

use std::env;

use serde_json::json;

use crate::{exit::Failure, global::Global, output};

/// Prints the version of this program, and what machines it is for.
pub(super) fn run(global: &Global) -> Result<(), Failure> {
    let version = env!("CARGO_PKG_VERSION");
    let platform = format!("{}-{}", env::consts::ARCH, env::consts::OS);
    output::report(global.output, version, &json!({ "version": version, "platform": platform }), None)
}
