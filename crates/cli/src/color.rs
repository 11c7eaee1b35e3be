//! Colours: only where people look, and never against their will.

use std::io::{IsTerminal, stderr, stdout};

use clap::{ColorChoice, ValueEnum};
use console::Style;

use crate::env::{self, Wishes};

/// What `--color` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless the environment says otherwise
    #[default]
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

impl Color {
    /// Applies the choice to everything that this process prints.
    pub(crate) fn choose(self) {
        let wishes = env::color_wishes();
        console::set_colors_enabled(self.decide(wishes, stdout().is_terminal()));
        console::set_colors_enabled_stderr(self.decide(wishes, stderr().is_terminal()));
    }

    /// Flags go before variables, `NO_COLOR` before the others, and variables before what the output is.
    fn decide(self, wishes: Wishes, terminal: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if wishes.none => false,
            Self::Auto if wishes.forced => true,
            Self::Auto => terminal && !wishes.off && !wishes.dumb,
        }
    }
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

/// Headings of tables, on standard output.
pub(crate) fn heading(text: &str) -> String {
    Style::new().bold().apply_to(text).to_string()
}

/// What is there for completeness, on standard output.
pub(crate) fn faint(text: &str) -> String {
    Style::new().dim().apply_to(text).to_string()
}

/// The word that begins an error, on standard error.
pub(crate) fn error(text: &str) -> String {
    Style::new().for_stderr().red().bold().apply_to(text).to_string()
}

/// The word that begins a hint, on standard error.
pub(crate) fn hint(text: &str) -> String {
    Style::new().for_stderr().cyan().apply_to(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_then_no_color_then_force_then_the_terminal() {
        let none = Wishes::default();
        let (no_color, forced) = (Wishes { none: true, forced: true, ..none }, Wishes { forced: true, dumb: true, ..none });
        assert!(Color::Always.decide(no_color, false) && !Color::Never.decide(forced, true));
        assert!(!Color::Auto.decide(no_color, true) && Color::Auto.decide(forced, false));
        assert!(Color::Auto.decide(none, true) && !Color::Auto.decide(none, false));
        for quiet in [Wishes { off: true, ..none }, Wishes { dumb: true, ..none }] {
            assert!(!Color::Auto.decide(quiet, true), "{quiet:?}");
        }
    }
}
