//! The committed documents under `docs` say what the server does: they are generated here and compared.

mod errors;
mod examples;
mod methods;
mod metrics;
mod openapi;
mod policy;
