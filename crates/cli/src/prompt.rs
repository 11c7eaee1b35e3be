//! Questions on the terminal.

use std::io::ErrorKind;

use console::{Term, truncate_str};
use dialoguer::{Error, FuzzySelect};

use crate::{
    exit::{Exit, Failure},
    interrupt,
    plain::plain,
};

/// Lets the user choose one of `items`, each a label and a UID, and answers its place.
///
/// # Errors
/// When the user leaves without choosing.
pub(crate) fn choose(question: &str, items: &[(String, String)]) -> Result<usize, Failure> {
    let columns = usize::from(Term::stderr().size().1);
    let lines = items.iter().map(|(label, uid)| line(label, uid, columns));
    let select = FuzzySelect::new().with_prompt(plain(question)).items(lines).default(0);
    shown(|| select.interact_opt())?.ok_or_else(|| Failure::new(Exit::Failed, "nothing was chosen"))
}

/// One line of a choice. The label is cut, because a line that the terminal breaks would spoil the redrawing; the end of the
/// UID stays, because no two lines may be equal.
fn line(label: &str, uid: &str, columns: usize) -> String {
    let end = plain(uid.rsplit('/').next().unwrap_or(uid));
    let room = columns.saturating_sub(end.len() + 6).max(8);
    format!("{}  {end}", truncate_str(&plain(label), room, "…"))
}

/// Shows a prompt; Ctrl-C in it ends the program like anywhere else.
///
/// # Errors
/// When it was interrupted, or the terminal is gone.
pub(crate) fn shown<T>(prompt: impl FnOnce() -> Result<T, Error>) -> Result<T, Failure> {
    interrupt::drawn(true);
    let answer = prompt();
    // After Ctrl-C the prompt is still there: the program's end takes it away.
    if answer.is_ok() {
        interrupt::drawn(false);
    }
    answer.map_err(|Error::IO(error)| match error.kind() {
        ErrorKind::Interrupted => interrupt::leave_now(),
        _ => Failure::failed(format!("cannot ask: {error}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_differ() {
        assert_eq!(line("acme/team/ci", "ab/0123456789abcdef", 80), "acme/team/ci  0123456789abcdef");
        assert_eq!(line("acme/team/a-long-name\u{1b}", "ab/0123456789abcdef", 36), "acme/team/a-l…  0123456789abcdef");
        assert!(line("acme", "ab/0123456789abcdef", 1).ends_with("  0123456789abcdef"));
    }
}
