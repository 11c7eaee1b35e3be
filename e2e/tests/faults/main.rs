//! Bad input at the door: every kind has its error, none takes the server down.

mod bodies;
mod doors;
mod headers;
mod paths;
