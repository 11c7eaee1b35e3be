//! What is measured: one file per family of cases.

pub(crate) mod advisories;
pub(crate) mod callers;
pub(crate) mod decision;
pub(crate) mod exchange;
pub(crate) mod growth;
pub(crate) mod lists;
pub(crate) mod postgres;
pub(crate) mod program;
pub(crate) mod requests;
pub(crate) mod writes;

use std::time::Duration;

/// How long and how often everything is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// How often each side is measured.
    pub(crate) rounds: usize,
    /// How long each time, where that can be chosen.
    pub(crate) slice: Duration,
}
