//! The contract: everything that follows from the `.proto` files and from nothing else.
//!
//! Messages live under the Rust path of their package, such as
//! [`chainguard::platform::iam::v2beta1::Group`]; each package with services has a module `rpc` with one marker type per
//! RPC. [`METHODS`] describes every RPC: HTTP bindings, access rule, event. [`Endpoint`] ties a handler to an RPC.
//!
//! Nothing here does I/O, and no other crate of the workspace is used.

#[cfg(test)]
mod arbitrary;
mod behavior;
pub mod bounds;
mod calendar;
mod capability;
mod descriptors;
mod endpoint;
#[expect(
    missing_docs,
    deprecated,
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    reason = "generated from the .proto files, whose comments are written for users of the API"
)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/contract.rs"));
}
pub mod json;
mod list;
pub mod mask;
mod message;
mod method;
mod openapi;
mod packed;
mod rpc;
pub mod scope;
mod table;
pub mod wire;

pub use capability::{CapabilityEntry, capabilities, enum_names};
pub use descriptors::{descriptors, message_descriptor, pool};
pub use endpoint::{Answer, AnyMessage, BoxFuture, Call, Endpoint, Reply};
pub use generated::{chainguard, google, provost};
pub use list::{ListAnswer, ListRequest, Paging};
pub use message::Message;
pub use method::{Access, Body, Event, HttpRule, METHODS, Method, Verb, alias, canonical_path, find_method};
pub use openapi::openapi;
pub use rpc::Rpc;
pub use table::methods_txt;

/// The bytes and the well-known types that messages are made of.
pub use {bytes::Bytes, prost::DecodeError, prost_types};
