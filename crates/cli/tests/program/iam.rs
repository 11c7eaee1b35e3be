//! `provost iam`: every noun and verb.

mod access_requests;
mod account_associations;
mod folders;
mod identities;
mod identity_providers;
mod invites;
mod organizations;
mod role_bindings;
mod roles;
mod terms;
mod users;
