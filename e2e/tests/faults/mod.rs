//! Bad input at the door: every kind has its error, none takes the server down.

mod bodies;
mod catalogue;
mod clock;
mod conditions;
mod doors;
mod entity_tags;
mod headers;
mod idempotency;
mod page_tokens;
mod paths;
mod retention;
mod sizes;
