//! Asking before something is destroyed.

use dialoguer::Confirm;

use crate::{
    exit::{Exit, Failure},
    global::Global,
    plain::plain,
    prompt,
};

/// Asks whether to go on with `what`, such as `delete the group ab12`. `-y` answers yes, and a rehearsal destroys nothing.
///
/// # Errors
/// When the answer is no, or there is nobody to ask.
pub(crate) fn confirm(global: &Global, what: &str) -> Result<(), Failure> {
    if !global.is_to_confirm() {
        return Ok(());
    }
    if !global.ask {
        return Err(Failure::usage(format!("will not {what} without a confirmation")).hint("add -y to confirm"));
    }
    let question = format!("Really {}?", plain(what));
    if prompt::shown(|| Confirm::new().with_prompt(question).default(false).interact())? {
        Ok(())
    } else {
        Err(Failure::new(Exit::Failed, format!("did not {what}: not confirmed")))
    }
}
