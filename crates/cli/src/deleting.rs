//! Deleting what users name, once they have confirmed.

use client::Client;
use contract::Rpc;

use crate::{
    confirm::confirm,
    exit::Failure,
    global::Global,
    resolve::{self, Found, Kind},
};

/// Deletes the `kind` that `given` means, and says so. `with` is what the question adds, such as ` with its group mappings`;
/// `request` asks `R` for the one with a UID.
///
/// # Errors
/// When it means nothing or more than one thing, nobody confirms, or the server refuses.
pub(crate) async fn delete<R: Rpc>(
    global: &Global,
    client: &Client,
    kind: Kind,
    given: Option<String>,
    with: &str,
    request: impl FnOnce(String) -> R::Request,
) -> Result<(), Failure> {
    let found = resolve::find(global, client, kind, given).await?;
    delete_found::<R>(global, client, kind, &found, with, request).await
}

/// As [`delete`], for what is found already.
///
/// # Errors
/// When nobody confirms, or the server refuses.
pub(crate) async fn delete_found<R: Rpc>(
    global: &Global,
    client: &Client,
    kind: Kind,
    found: &Found,
    with: &str,
    request: impl FnOnce(String) -> R::Request,
) -> Result<(), Failure> {
    if global.is_to_confirm() {
        confirm(global, &format!("delete the {} {}{with}", kind.noun(), found.title(global, client, kind).await?))?;
    }
    client.call::<R>(request(found.uid.clone())).await?;
    global.deleted(&found.uid)
}
