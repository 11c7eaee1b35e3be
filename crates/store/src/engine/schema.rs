//! What the version of a schema means, whichever engine has it.

use domain::{Error, Kind, Result, Rule};

/// What each step brings. Every engine has a migration for each of them.
pub(crate) const STEPS: &[&str] = &["core", "children", "moves", "tags"];

/// How many of the program's `known` steps a database that has `done` of them still needs.
///
/// # Errors
/// Failed precondition when a newer provost wrote the database.
pub(crate) fn left(done: usize, known: usize) -> Result<usize> {
    known.checked_sub(done).ok_or_else(|| {
        Error::new(
            Kind::FailedPrecondition,
            Rule::Unavailable,
            format!(
                "the database has schema {done}, and this provost knows {known} at most: run the newer provost that wrote it, \
                 or restore a backup from before the upgrade"
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{
        super::{postgres, sqlite},
        STEPS,
    };

    #[test]
    fn every_engine_has_every_step() {
        assert_eq!((sqlite::STEPS.len(), postgres::STEPS.len()), (STEPS.len(), STEPS.len()));
    }
}
