//! `provost version`

use serde_json::json;

use crate::{config::Global, exit::Failure, output};

/// Prints the version of this program.
pub(super) fn run(global: &Global) -> Result<(), Failure> {
    let version = env!("CARGO_PKG_VERSION");
    output::report(global.output, version, &json!({ "version": version }), None)
}
