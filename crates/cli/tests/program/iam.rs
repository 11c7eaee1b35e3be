//! `provost iam`: every noun and verb.

mod folders;
mod identities;
mod organizations;
mod role_bindings;
mod roles;
