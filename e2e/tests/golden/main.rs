//! The committed documents under `docs/api` say what the server does: they are generated here and compared.

mod errors;
mod methods;
mod openapi;
mod policy;
