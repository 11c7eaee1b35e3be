//! AWS principals: requests that they have signed and not sent, and asking AWS who has signed one.
//!
//! A workload on AWS has no token of an issuer. It signs a `GetCallerIdentity` request instead, which names this server and the
//! identity that it wants, and whoever sends that request on is told by AWS who has signed it. Only AWS can check the signature:
//! all that is judged here is whether the request is one that may be sent on, and that what it says about this server is signed.

mod answer;
mod authorization;
mod caller;
mod request;

pub use answer::Principal;
pub(crate) use caller::AwsSts;
pub use request::{RequestError, SignedRequest};
