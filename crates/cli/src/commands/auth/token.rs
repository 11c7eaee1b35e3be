//! `provost auth token`

use crate::{exit::Failure, global::Global, output, session};

/// Prints the API token alone.
pub(super) async fn run(global: &Global) -> Result<(), Failure> {
    output::text(session::token(global).await?.expose())
}
