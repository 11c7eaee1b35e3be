//! Token exchange at the front door: who gets a token, what it may do, and who is refused.

mod attacks;
mod aws;
mod costly;
mod forms;
mod issuers;
mod matching;
mod narrowing;
mod oracles;
mod remembered;
mod revocation;
mod service_principals;
mod static_keys;
