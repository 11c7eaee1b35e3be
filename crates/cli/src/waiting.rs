//! Waiting for a server: a line on standard error once it takes long, and only for people.

use std::{
    future::Future,
    io::{IsTerminal, stderr, stdout},
    pin::pin,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};
use tokio::{
    select,
    time::{Instant, sleep_until},
};

use crate::{env, interrupt};

/// Work that is shown once it has lasted a while.
#[derive(Debug)]
pub(crate) struct Waiting {
    what: &'static str,
    due: Option<Instant>,
    line: Option<ProgressBar>,
    told: String,
}

impl Waiting {
    /// How long work stays quiet.
    const PATIENCE: Duration = Duration::from_millis(500);
    const FRAME: Duration = Duration::from_millis(100);

    /// Work that prints only when it is done. Nothing is shown where nobody looks.
    pub(crate) fn new(what: &'static str) -> Self {
        let shown = stderr().is_terminal() && !env::dumb_terminal();
        Self { what, due: shown.then(|| Instant::now() + Self::PATIENCE), line: None, told: String::new() }
    }

    /// Work that prints as it goes. On a terminal its own output is progress enough.
    pub(crate) fn beside_output(what: &'static str) -> Self {
        let mut waiting = Self::new(what);
        if stdout().is_terminal() {
            waiting.due = None;
        }
        waiting
    }

    /// Does a part of the work.
    pub(crate) async fn during<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        if let (Some(due), None) = (self.due, &self.line) {
            select! {
                biased;
                done = &mut work => return done,
                () = sleep_until(due) => self.show(),
            }
        }
        work.await
    }

    /// Says how far it got.
    pub(crate) fn tell(&mut self, done: usize, of: Option<i64>) {
        self.told = of.map_or_else(|| format!(" {done}"), |all| format!(" {done} of {all}"));
        if let Some(line) = &self.line {
            line.set_message(self.text());
        }
    }

    fn text(&self) -> String {
        format!("{}{}", self.what, self.told)
    }

    fn show(&mut self) {
        interrupt::drawn(true);
        let line = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            line.set_style(style);
        }
        line.set_message(self.text());
        line.enable_steady_tick(Self::FRAME);
        self.line = Some(line);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(line) = self.line.take() {
            line.finish_and_clear();
            interrupt::drawn(false);
        }
    }
}
