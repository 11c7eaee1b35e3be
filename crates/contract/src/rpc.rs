//! The link between an RPC's marker type and its messages.

use crate::{Message, Method};

/// An RPC of the contract. The implementing types are markers without values' worth of content: they name the RPC in types,
/// as in `Endpoint::new::<GetGroup, _, _, _>(handler)`.
pub trait Rpc: 'static {
    /// What the contract says about it.
    const METHOD: &'static Method;
    /// What it takes.
    type Request: Message;
    /// What it answers.
    type Response: Message;
}
