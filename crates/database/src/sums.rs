//! What many requests add to the same rows, written once for all of them.

use std::fmt;

use crate::param::Param;

/// Numbers that requests add up in memory. The group commit that they belong to writes them with its last statements, so that a
/// row which everybody changes has one new version for all of its requests. Requests read them where they are kept: those of
/// the same group commit see what is not yet written.
///
/// The engine says what becomes of each request, one after the other and never while another one runs.
pub trait Sums: fmt::Debug + Send + Sync {
    /// A group commit begins, perhaps once more: nothing is added up. `head` is what is stored of [`Sums::head`]; over several nodes,
    /// whichever of them has stored it.
    fn begin(&self, head: Option<&[u8]>);

    /// What the request that ran has added is kept.
    fn keep(&self);

    /// What the request that ran has added is dropped: it failed, or was only a trial.
    fn undo(&self);

    /// Takes what the kept requests have added, as the statements that write it, in their order. Nothing is left.
    fn take(&self) -> Vec<Batch>;

    /// A few bytes that are stored beside the number of the last commit when the kept requests are committed; none where those of
    /// before stay.
    fn head(&self) -> Option<Vec<u8>>;
}

/// One statement for many rows of values.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The statement for one row: `$1` is its first value.
    pub row: &'static str,
    /// The statement for all rows, for an engine that takes lists: `$1` is the list of their first values. Without it, that engine
    /// runs the statement for one row as often as there are rows.
    pub lists: Option<&'static str>,
    /// The rows, all of the same length.
    pub rows: Vec<Vec<Param<'static>>>,
}
