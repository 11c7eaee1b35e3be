//! Who runs the measurements.

use std::{
    io,
    path::Path,
    process::{Child, Command},
};

/// What the measurements need from the program that makes them.
pub trait Host: Send + Sync {
    /// The program that is measured, which is started as a server of its own with `serve`.
    fn program(&self) -> &Path;

    /// Starts a process that must not outlive this one, however that ends and from the first moment on.
    ///
    /// # Errors
    /// Why it does not start.
    fn spawn(&self, command: &mut Command) -> io::Result<Child>;

    /// Such a process has ended and was waited for.
    fn ended(&self, process: u32);

    /// `done` of `total` steps are done; the next one is about `what`.
    fn progress(&self, done: usize, total: usize, what: &str);
}
