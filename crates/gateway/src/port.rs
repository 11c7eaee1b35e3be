//! What every way into the contract needs.

use crate::{
    Settings,
    gate::{Gate, Methods},
};

/// The settings, and what stands before the methods.
pub(crate) struct Port {
    pub(crate) settings: Settings,
    pub(crate) gate: Gate,
    pub(crate) methods: Methods,
}
