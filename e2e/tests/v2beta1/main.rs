//! The v2beta1 API, noun by noun and verb by verb, over JSON and gRPC.

mod groups;
mod identities;
mod owner;
mod repos;
mod role_bindings;
mod roles;
