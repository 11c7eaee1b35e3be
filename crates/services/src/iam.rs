//! Identity and access management: the tree, who acts in it, and what they may do where.

pub mod access_requests;
pub mod account_associations;
pub mod external_group_role_mappings;
pub mod group_invites;
pub mod groups;
pub mod identities;
pub mod identity_providers;
pub mod lookups;
pub mod registrations;
pub mod role_bindings;
pub mod roles;
pub mod terms;
pub mod whoami;

pub(crate) mod placed;

pub use access_requests::AccessRequests;
pub use account_associations::AccountAssociations;
pub use external_group_role_mappings::ExternalGroupRoleMappings;
pub use group_invites::GroupInvites;
pub use groups::Groups;
pub use identities::Identities;
pub use identity_providers::IdentityProviders;
pub use registrations::Registrations;
pub use role_bindings::{BatchItem, RoleBindings};
pub use roles::Roles;
pub use terms::{RequiredTerms, Terms};
pub use whoami::{Access, Account, WhoAmI};
