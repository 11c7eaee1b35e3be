//! The nouns of vulnerability management.

pub mod advisories;
mod changed;
pub mod feeds;
pub mod imports;
pub mod known;

use domain::{Error, Noun, Result, Uidp};

use crate::{Writer, counts};

/// Most advisories, and most vulnerabilities, that go with their group: they go in one write, and all other writes wait for that.
pub const GO_TOGETHER: u64 = 5_000;

/// Refuses to let so many rows go with their group at once.
async fn check_few(tx: &mut Writer, noun: Noun, group: &Uidp, plural: &str) -> Result<()> {
    if counts::children(tx, noun, group.as_str()).await? <= GO_TOGETHER {
        return Ok(());
    }
    Err(Error::not_empty(Noun::Group, group.as_str(), &format!("more than {GO_TOGETHER} {plural}")))
}
