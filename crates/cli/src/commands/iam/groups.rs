//! What organizations and folders have in common.

use clap::Args;
use client::Client;
use contract::{
    chainguard::platform::iam::v2beta1::{
        CreateGroupRequest, DeleteGroupRequest, GetGroupRequest, Group, UpdateGroupRequest,
        rpc::{CreateGroup, DeleteGroup, GetGroup, UpdateGroup},
    },
    prost_types::FieldMask,
};

use super::{Naming, something_to_change};
use crate::{deleting, describing, exit::Failure, global::Global, resolve::Kind};

/// Prints the group `uid` in full.
pub(super) async fn describe(global: &Global, client: &Client, uid: String) -> Result<(), Failure> {
    describing::describe::<GetGroup>(global, client, GetGroupRequest { uid }).await
}

/// A group's place in a tree, and what it is called there.
pub(super) fn node(group: &Group) -> (String, String) {
    (group.uid.clone(), group.name.clone())
}

/// What a new group gets.
#[derive(Debug, Args)]
pub(crate) struct New {
    /// Its name
    name: String,
    /// Its description
    #[arg(short, long, default_value = "", hide_default_value = true)]
    description: String,
}

/// Creates a group below `parent`; an organization when that is empty.
pub(super) async fn create(client: &Client, parent: String, new: New) -> Result<Group, Failure> {
    let group = Group { name: new.name, description: new.description, ..Group::default() };
    Ok(client.call::<CreateGroup>(CreateGroupRequest { parent, group: Some(group) }).await?)
}

/// Changes name and description, and what `paths` name of `group`.
pub(super) async fn update(client: &Client, group: Group, mut paths: Vec<String>, naming: Naming) -> Result<Group, Failure> {
    paths.extend(naming.paths());
    something_to_change(&paths)?;
    let (name, description) = (naming.name.unwrap_or_default(), naming.description.unwrap_or_default());
    let group = Group { name, description, ..group };
    let request = UpdateGroupRequest { group: Some(group), update_mask: Some(FieldMask { paths }) };
    Ok(client.call::<UpdateGroup>(request).await?)
}

/// Deletes the group after asking.
pub(super) async fn delete(global: &Global, client: &Client, kind: Kind, group: Option<String>) -> Result<(), Failure> {
    deleting::delete::<DeleteGroup>(global, client, kind, group, "", |uid| DeleteGroupRequest { uid }).await
}
