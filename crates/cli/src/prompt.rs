//! Questions on the terminal.

use std::io::ErrorKind;

use dialoguer::Error;

use self::picker::Picker;
use crate::{
    exit::{Exit, Failure},
    interrupt,
    plain::plain,
};

mod picker;

/// Lets the user choose one of `items`, each a label and a UID, and answers its place.
///
/// # Errors
/// When the user leaves without choosing.
pub(crate) fn choose(question: &str, items: &[(String, String)]) -> Result<usize, Failure> {
    let question = plain(question);
    shown(|| Ok(Picker::new(&question, items).choose()?))?.ok_or_else(|| Failure::new(Exit::Failed, "nothing was chosen"))
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
