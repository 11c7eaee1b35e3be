//! `provost auth token`

use crate::{config::Global, exit::Failure, output, session};

/// Prints the API token alone.
pub(super) fn run(global: &Global) -> Result<(), Failure> {
    output::text(session::token(global)?.expose())
}
