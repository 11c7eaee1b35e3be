//! What a server says at its front door. One program for all of it, as each links the whole server.

mod deliveries;
mod exchange;
mod faults;
mod feeds;
mod golden;
mod model;
mod nouns;
mod sessions;
mod v1;
mod v2beta1;
