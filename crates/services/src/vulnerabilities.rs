//! Vulnerability management.

pub mod advisories;
pub mod imports;
pub mod publications;

pub use advisories::Advisories;
pub use imports::AdvisoryImports;
pub use publications::Publications;
