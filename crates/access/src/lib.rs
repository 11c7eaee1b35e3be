//! The access decision: grants, capabilities and a place in, allow or deny out.
//!
//! Pure functions over `domain` words. A grant at a place holds there and at everything below; nothing else gives a
//! right, and roles are never asked for by name.

pub mod built_in;
mod decide;
mod narrow;

pub use decide::{Decision, decide};
pub use narrow::narrow;
