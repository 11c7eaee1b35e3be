//! Asking before something is destroyed.

use std::io::{IsTerminal, stdin};

use dialoguer::Confirm;

use crate::{
    config::Global,
    exit::{Exit, Failure},
};

/// Asks whether to go on with `what`, such as `delete the group ab12`. `-y` answers yes.
///
/// # Errors
/// When the answer is no, or there is nobody to ask.
pub(crate) fn confirm(global: &Global, what: &str) -> Result<(), Failure> {
    if global.yes {
        return Ok(());
    }
    if !stdin().is_terminal() {
        return Err(Failure::usage(format!("will not {what} without a confirmation")).hint("add -y to confirm"));
    }
    let answer = Confirm::new().with_prompt(format!("Really {what}?")).default(false).interact();
    match answer {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::new(Exit::Failed, format!("did not {what}: not confirmed"))),
        Err(error) => Err(Failure::failed(format!("did not {what}: {error}"))),
    }
}
