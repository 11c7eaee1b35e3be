//! Lists as trees: their items below the groups that they lie in.

use std::collections::BTreeMap;

use client::Client;

use crate::{
    exit::Failure,
    global::Global,
    listing::{Listing, Paging, Printed},
    output,
    paths::Paths,
};

/// Prints what `request` selects, as far as `keep` wants it, as a tree in the groups where it lies. `node` answers an
/// item's UID and label.
///
/// # Errors
/// Whatever any page answers but OK.
pub(crate) async fn print<R: Listing>(
    global: &Global,
    client: &Client,
    request: R::Request,
    paging: Paging,
    keep: impl Fn(&R::Item) -> bool,
    node: impl Fn(&R::Item) -> (String, String),
) -> Result<(), Failure> {
    let mut printed = Printed::<R>::new(global, client, request, paging);
    let mut labels = BTreeMap::new();
    while let Some(items) = printed.next(&keep).await? {
        labels.extend(items.iter().map(&node));
    }
    printed.finish();
    let groups = Paths::above(client, labels.keys().map(String::as_str)).await?;
    for (uid, name) in groups.into_names() {
        labels.entry(uid).or_insert(name);
    }
    output::tree(&labels)
}
