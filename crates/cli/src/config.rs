//! Settings: of the server, and of how it runs.

pub(crate) mod program;
pub(crate) mod server;
