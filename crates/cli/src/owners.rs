//! Owners of organizations: without one, nobody there can give anybody a role.

use client::Client;
use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{ListRoleBindingsRequest, RoleBinding, rpc::ListRoleBindings},
};

use crate::{
    exit::{Exit, Failure},
    listing::{all, only},
    plain::plain,
};

/// The built-in role whose holders may do everything in an organization.
const OWNER: &str = "owner";

/// Refuses to take away `bindings`, of which some may be gone already, where an organization would have no owner left.
///
/// # Errors
/// Usage when that is so; when the server does not answer.
pub(crate) async fn spare_last(client: &Client, bindings: &[RoleBinding]) -> Result<(), Failure> {
    let leaving: Vec<_> = bindings.iter().filter(|binding| is_owner(binding)).collect();
    for binding in &leaving {
        let group = group_of(binding);
        let request = ListRoleBindingsRequest {
            group: group.to_owned(),
            role: binding.role_uid.clone(),
            ..ListRoleBindingsRequest::default()
        };
        let holding = all::<ListRoleBindings>(client, request).await?;
        if holding.iter().all(|held| leaving.iter().any(|binding| binding.uid == held.uid)) {
            let name = binding.group.as_ref().map_or(group, |group| group.name.as_str());
            let message = format!("this takes the last owner from the organization {}", plain(name));
            return Err(Failure::usage(message).hint(
                "nobody could give or take roles there any more, but the operator of the server; give somebody else the role \
                 owner first, or add --force",
            ));
        }
    }
    Ok(())
}

/// The role bindings with these UIDs, as far as the caller sees them.
///
/// # Errors
/// When the server does not answer.
pub(crate) async fn bindings(client: &Client, uids: Vec<String>) -> Result<Vec<RoleBinding>, Failure> {
    listed(client, ListRoleBindingsRequest { uidp: Some(only(uids)), ..ListRoleBindingsRequest::default() }).await
}

/// The role bindings of an identity, as far as the caller sees them.
///
/// # Errors
/// When the server does not answer.
pub(crate) async fn bindings_of(client: &Client, identity: &str) -> Result<Vec<RoleBinding>, Failure> {
    listed(client, ListRoleBindingsRequest { identity: identity.to_owned(), ..ListRoleBindingsRequest::default() }).await
}

/// The role bindings that are the same as one of `role` for `identity` at `group`, as far as the caller sees them.
///
/// # Errors
/// When the server does not answer.
pub(crate) async fn same(client: &Client, identity: &str, role: &str, group: &str) -> Result<Vec<RoleBinding>, Failure> {
    let uidp = Some(UidpFilter { children_of: group.to_owned(), ..UidpFilter::default() });
    let (identity, role) = (identity.to_owned(), role.to_owned());
    listed(client, ListRoleBindingsRequest { uidp, identity, role, ..ListRoleBindingsRequest::default() }).await
}

/// Who may not look has nothing to compare with: the server says whether the rest is allowed.
async fn listed(client: &Client, request: ListRoleBindingsRequest) -> Result<Vec<RoleBinding>, Failure> {
    match all::<ListRoleBindings>(client, request).await {
        Err(failure) if matches!(failure.exit, Exit::Denied | Exit::Usage | Exit::NotFound) => Ok(Vec::new()),
        found => found,
    }
}

/// Whether it makes somebody an owner of an organization.
fn is_owner(binding: &RoleBinding) -> bool {
    let is_role = binding.role.as_ref().is_some_and(|role| role.name == OWNER && !role.uid.contains('/'));
    is_role && !group_of(binding).contains('/')
}

/// The UID of the group that it is at.
fn group_of(binding: &RoleBinding) -> &str {
    binding.uid.rsplit_once('/').map_or("", |(group, _)| group)
}

#[cfg(test)]
mod tests {
    use contract::chainguard::platform::iam::v2beta1::RoleBindingRole;

    use super::*;

    #[test]
    fn only_the_built_in_role_at_an_organization_makes_owners() {
        let binding = |uid: &str, role: &str, name: &str| RoleBinding {
            uid: uid.to_owned(),
            role: Some(RoleBindingRole { uid: role.to_owned(), name: name.to_owned(), ..RoleBindingRole::default() }),
            ..RoleBinding::default()
        };
        assert!(is_owner(&binding("a/1", "r", "owner")));
        assert!(!is_owner(&binding("a/1/2", "r", "owner")), "of a folder");
        assert!(!is_owner(&binding("a/1", "a/2", "owner")), "a role of that name");
        assert!(!is_owner(&binding("a/1", "r", "viewer")));
    }
}
