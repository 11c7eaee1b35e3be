//! How each noun is shown: its table columns and its JSON with the field names of the v1 API.

mod group;
mod group_invite;
mod group_mapping;
mod identity;
mod identity_provider;
mod repo;
mod role;
mod role_binding;
mod subscription;

pub(crate) use identity::IdentityRow;
pub(crate) use repo::RepoRow;

/// An enum value's name without the prefix that the v1 API does not have.
fn short<'a>(name: &'a str, prefix: &str) -> &'a str {
    name.strip_prefix(prefix).unwrap_or(name)
}
