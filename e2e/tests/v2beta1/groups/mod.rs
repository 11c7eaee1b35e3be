mod create;
mod delete;
mod limits;
mod list;
pub(crate) mod lookup;
mod update;
mod verified;

use contract::chainguard::platform::iam::v2beta1::{CreateGroupRequest, Group};

/// A request for a folder below `parent`; without a parent, for an organization.
pub(crate) fn new_group(parent: &str, name: &str) -> CreateGroupRequest {
    CreateGroupRequest { parent: parent.into(), group: Some(Group { name: name.into(), ..Group::default() }) }
}
