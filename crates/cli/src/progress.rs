//! Telling people how long work gets on: a bar on standard error when that is a terminal, else nothing.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::interrupt;

/// A bar. It goes when it is dropped.
#[derive(Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A bar that says what is done, such as `reading rows`.
    pub(crate) fn of(what: &'static str) -> Self {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(what);
        bar.enable_steady_tick(Duration::from_millis(200));
        interrupt::drawn(true);
        Self(bar)
    }

    /// Shows that `done` of `total` steps are done.
    pub(crate) fn set(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }

    /// Says what is being done from now on.
    pub(crate) fn say(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    /// The bar itself, for work on another thread.
    pub(crate) fn handle(&self) -> impl Fn(u64, u64) + Send + Sync + 'static {
        let bar = self.0.clone();
        move |done, total| {
            bar.set_length(total);
            bar.set_position(done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
        interrupt::drawn(false);
    }
}
