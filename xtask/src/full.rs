//! The long forms of the suites: what continuous integration runs short, run long, and optimized.

use crate::{
    soak,
    workspace::{self, Outcome},
};

/// A long form: what cargo is told to test, and the switch that makes it long.
struct Form {
    arguments: &'static [&'static str],
    switch: (&'static str, &'static str),
}

const FORMS: &[Form] = &[
    // Sixteen times the random cases.
    Form { arguments: &["--workspace", "--exclude", "e2e", "--lib", "--tests"], switch: ("PROPTEST_CASES", "4096") },
    // Three times the kills. Each takes about a second, so more of them are left to who has the hours.
    Form { arguments: &["--workspace", "--test", "crash"], switch: ("PROVOST_TEST_KILLS", "60") },
    // Twenty times the histories.
    Form { arguments: &["--workspace", "--test", "model"], switch: ("PROVOST_TEST_STEPS", "200000") },
];

/// Runs them one after the other, the soak last, and stops at the first that fails.
pub(crate) fn run() -> Outcome {
    for form in FORMS {
        workspace::run("cargo", &[&["test", "--profile", "full"], form.arguments].concat(), &[form.switch])?;
    }
    workspace::say(&soak::run(&soak::Run { minutes: 10 })?);
    Ok(format!("{} long forms and the soak passed", FORMS.len()))
}
