//! A server, or its database, that is killed while many write: what was acknowledged is as it was left, what was deleted stays
//! away, nothing is there by half, what is sent again is applied once, and everything agrees with everything else.
//!
//! A program of its own, so that nothing else runs while the restart is timed. `PROVOST_TEST_KILLS` says how many times.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]
#![expect(clippy::disallowed_methods, reason = "PATH and PROVOST_TEST_KILLS come from the environment")]

use std::sync::Mutex;

mod crashes;
mod creations;
mod disk;
mod events;
mod found;
mod frozen;
mod known;
mod rekeys;
mod rows;
#[path = "../program/support.rs"]
#[expect(dead_code, reason = "this test needs only some of it")]
mod support;
mod victims;
mod writers;

/// Both engines are tried here, whatever the test run is on: the place knows its database.
mod engine {
    use std::{path::Path, process::Command};

    pub(crate) fn on_data<'a>(command: &'a mut Command, data: &Path) -> &'a mut Command {
        command.arg("--data").arg(data)
    }
}

/// Held by the test that runs: a restart is timed.
static ALONE: Mutex<()> = Mutex::new(());
