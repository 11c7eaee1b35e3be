//! How each noun is shown: its table columns and its JSON with the field names of the v1 API.

mod access_request;
mod account_association;
mod advisory;
mod capability;
mod dead_letter;
mod deployment;
mod folder;
mod group;
mod group_invite;
mod group_mapping;
mod held;
mod identity;
mod identity_provider;
mod overlay;
mod pull_token;
mod registry_settings;
mod repo;
mod role;
mod role_binding;
mod subscription;
mod tag;
mod terms;
mod user;
mod visibility;

pub(crate) use capability::CapabilityRow;
pub(crate) use folder::FolderRow;
pub(crate) use held::Held;
pub(crate) use identity::IdentityRow;
pub(crate) use pull_token::PullTokenRow;
pub(crate) use repo::RepoRow;
pub(crate) use user::UserRow;

/// An enum value's name without the prefix that the v1 API does not have.
fn short<'a>(name: &'a str, prefix: &str) -> &'a str {
    name.strip_prefix(prefix).unwrap_or(name)
}
