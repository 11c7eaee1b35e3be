//! Vulnerability management.

pub mod advisories;
pub mod feeds;
pub mod imports;
pub mod publications;

pub use advisories::Advisories;
pub use feeds::Feeds;
pub use imports::AdvisoryImports;
pub use publications::Publications;
