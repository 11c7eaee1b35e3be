//! `provost iam`: every noun and verb.

mod folders;
mod identities;
mod invites;
mod organizations;
mod role_bindings;
mod roles;
