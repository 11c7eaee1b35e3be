mod batch_create;
mod batch_whole;
mod create;
mod delete;
mod escalation;
mod get;
mod list;
mod lookups;
mod update;

use contract::chainguard::platform::iam::v2beta1::{CreateRoleBindingRequest, RoleBinding};

/// A binding to create or to send in an update.
pub(crate) fn binding(identity: &str, role: &str) -> RoleBinding {
    RoleBinding { identity_uid: identity.into(), role_uid: role.into(), ..RoleBinding::default() }
}

/// A request to bind `identity` to `role` in the group `parent`.
pub(crate) fn new_binding(parent: &str, identity: &str, role: &str) -> CreateRoleBindingRequest {
    CreateRoleBindingRequest { parent: parent.into(), role_binding: Some(binding(identity, role)) }
}
