//! `provost config init`

use crate::{config::server, exit::Failure, output};

/// Prints a configuration file to begin with.
pub(super) fn run() -> Result<(), Failure> {
    output::bytes(server::example().as_bytes())
}
