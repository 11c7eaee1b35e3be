//! Bad input at the door: every kind has its error, none takes the server down.

mod bodies;
mod catalogue;
mod doors;
mod headers;
mod idempotency;
mod paths;
