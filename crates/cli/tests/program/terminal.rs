//! What only a terminal shows: choices, questions, colours, widths, progress, Ctrl-C.

mod choices;
mod interrupts;
mod looks;
mod progress;

use std::process::Command;

use rexpect::session::{PtySession, spawn_command};

use crate::support::{PROVOST, User};

/// A line of shell on a terminal of its own, with the program as `provost`.
pub(crate) struct Terminal {
    session: PtySession,
    /// Everything so far.
    seen: String,
}

impl Terminal {
    /// Runs `line` on a terminal that is `columns` wide. Afterwards the shell says how the terminal was left.
    pub(crate) fn run(user: &User, columns: u16, line: &str) -> Self {
        Self::with(user, columns, line, &[])
    }

    pub(crate) fn with(user: &User, columns: u16, line: &str, variables: &[(&str, &str)]) -> Self {
        let mut shell: Command = user.command("bash");
        let script = format!(
            "provost() {{ {PROVOST} \"$@\"; }}
             trap : INT
             stty cols {columns} rows 40; before=$(stty -g)
             {line}
             code=$?
             [ \"$before\" = \"$(stty -g)\" ] && echo terminal as before || stty -a
             echo exit code $code."
        );
        shell.args(["--norc", "-c", &script]).env("TERM", "xterm-256color").envs(variables.iter().copied());
        Self { session: spawn_command(shell, Some(60_000)).expect("a terminal"), seen: String::new() }
    }

    /// Waits for `text` and answers what came before it.
    pub(crate) fn sees(&mut self, text: &str) -> String {
        let before = self.session.exp_string(text).expect(text);
        self.seen.extend([&before, text]);
        before
    }

    /// Presses keys.
    pub(crate) fn types(&mut self, keys: &str) {
        self.session.send(keys).and_then(|_| self.session.flush()).expect("typed");
    }

    /// Presses Ctrl-C.
    pub(crate) fn ctrl_c(&mut self) {
        self.session.send_control('c').expect("typed");
    }

    /// Waits for the end: the exit code, and everything since the last wait. The terminal must be as it was.
    pub(crate) fn ends(mut self) -> (i32, String) {
        let told = self.sees("exit code ");
        let code = self.sees(".").parse().expect("a number");
        assert!(told.contains("terminal as before"), "{told}");
        assert!(self.seen.rfind("\x1b[?25l") <= self.seen.rfind("\x1b[?25h"), "the cursor is hidden: {:?}", self.seen);
        // The session reads bytes and calls each a character.
        let bytes = told.chars().map(|c| u8::try_from(u32::from(c)).expect("a byte")).collect();
        let told = String::from_utf8(bytes).expect("text");
        (code, told.replace("terminal as before", "").replace('\r', "").trim_end().to_owned())
    }
}
