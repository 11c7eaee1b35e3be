//! The nouns of identity and access management.

pub mod access_requests;
pub mod account_associations;
pub mod external_group_role_mappings;
pub mod group_invites;
pub mod groups;
pub mod identities;
pub mod identity_metadata;
pub mod identity_providers;
pub mod role_bindings;
pub mod roles;
pub mod standings;
pub mod terms;
