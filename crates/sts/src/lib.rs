//! The security token service: judges upstream tokens, matches them to identities, mints our own tokens and judges those.
//!
//! It knows no transport: `api` gives the documents of [`discovery`] and the exchange their paths.

mod authenticate;
pub mod aws;
mod bounded;
pub mod claims;
mod clouds;
mod current;
pub mod discovery;
mod entity_tags;
pub mod exchange;
mod fair;
pub mod issuers;
pub mod jws;
pub mod keys;
pub mod operator;
mod rates;
mod sessions;
pub mod settings;
mod tasks;
#[cfg(test)]
mod testing;
mod token;
mod webhooks;
mod workers;

pub use authenticate::Authenticator;
pub use claims::RelationshipCheck;
pub use clouds::Clouds;
pub use discovery::discovery_document;
pub use entity_tags::entity_tags;
pub use exchange::{Exchange, ExchangeRequest, Granted};
pub use issuers::Issuers;
pub use keys::{Keyring, RootKey, Sealer, SigningKeys};
pub use operator::Operators;
pub use sessions::{IssuedRefreshToken, Sessions};
pub use settings::{Limits, Provider, Settings};
pub use token::{IssuedToken, Tokens};
pub use webhooks::{Post, Undelivered, Webhooks};
pub use workers::Workers;
