//! The long forms of the suites: what continuous integration runs short, run long.

use crate::workspace::{self, Outcome};

/// Each long form: its command and the switches that make it long.
const FORMS: &[(&[&str], &[(&str, &str)])] = &[
    (&["test", "--workspace"], &[("PROPTEST_CASES", "4096")]),
    (&["test", "--release", "-p", "cli", "--test", "crash"], &[("PROVOST_TEST_KILLS", "20")]),
];

/// Runs them one after the other and stops at the first that fails.
pub(crate) fn run() -> Outcome {
    for (arguments, environment) in FORMS {
        workspace::run("cargo", arguments, environment)?;
    }
    Ok(format!("{} long forms passed", FORMS.len()))
}
