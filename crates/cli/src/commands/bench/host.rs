//! This program as the host of its own measurements.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Child, Command},
};

use bench::Host;

use crate::{interrupt, progress::Progress};

/// The running program.
pub(super) struct Program {
    path: PathBuf,
    progress: Progress,
}

impl Program {
    /// Gets ready to start servers as other processes.
    ///
    /// # Errors
    /// When the program cannot find itself.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { path: env::current_exe()?, progress: Progress::of("getting ready") })
    }
}

impl Host for Program {
    fn program(&self) -> &Path {
        &self.path
    }

    fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let _none_left_behind = interrupt::whole();
        let child = command.spawn()?;
        interrupt::take_along(child.id());
        Ok(child)
    }

    fn ended(&self, process: u32) {
        interrupt::forget(process);
    }

    fn progress(&self, done: usize, total: usize, what: &str) {
        self.progress.say(what);
        self.progress.set(done as u64, total as u64);
    }
}
