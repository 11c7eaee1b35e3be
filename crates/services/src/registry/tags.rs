//! Tags: what an image in a repository is called.

mod rules;
mod update;
mod upsert;

use domain::{
    Error, Result, Timestamp, Uidp,
    registry::{Digest, Tag, TagForms},
};
use store::registry::{repos, tags};

pub use store::registry::tags::{Summary, TagFilter};

use crate::nouns::{self, Noun, Nouns};

/// The use cases of tags. The history of what a tag stood for goes with it.
pub type Tags = Nouns<Tag>;

impl Noun for Tag {
    type Answer = Self;
    type Filter = TagFilter;
    type Needs = ();
}

impl Tags {
    /// What the tag has stood for lately and since when, the oldest first.
    ///
    /// # Errors
    /// Not found.
    pub async fn history(&self, uid: &Uidp) -> Result<Vec<(Timestamp, Digest)>> {
        let mut reader = self.store.reader().await?;
        let _: Tag = nouns::get(&mut reader, uid).await?;
        tags::history(&mut reader, uid).await
    }

    /// How many tags the repository has whose names have no forms but these, and which of them changed last.
    ///
    /// # Errors
    /// Not found when there is no such repository.
    pub async fn summary(&self, repo: &Uidp, forms: TagForms) -> Result<Summary> {
        let mut reader = self.store.reader().await?;
        if repos::without_overlay(&mut reader, repo).await?.is_none() {
            return Err(Error::not_found(domain::Noun::Repo, repo.as_str()));
        }
        tags::summary(&mut reader, repo, forms).await
    }
}
