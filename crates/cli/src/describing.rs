//! Showing everything about one thing.

use client::{Client, Options};
use contract::Rpc;

use crate::{exit::Failure, global::Global, output::Show};

/// Prints what `R` answers to `request`.
///
/// # Errors
/// Whatever the server answers but OK.
pub(crate) async fn describe<R: Rpc<Response: Show>>(
    global: &Global,
    client: &Client,
    request: R::Request,
) -> Result<(), Failure> {
    let answer = client.call_with::<R>(request, &Options::default()).await?;
    global.output.describe(&answer.message, answer.etag.as_deref())
}
