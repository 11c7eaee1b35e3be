//! States of everything.

use domain::Revision;

/// A state of everything: that after a commit, at one server of the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// A number that the server gave itself when it started. Another one may have lost what this one has acknowledged.
    pub server: i64,
    /// The commit.
    pub revision: Revision,
}
