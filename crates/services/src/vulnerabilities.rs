//! Vulnerability management.

pub mod advisories;
pub mod publications;

pub use advisories::Advisories;
pub use publications::Publications;
