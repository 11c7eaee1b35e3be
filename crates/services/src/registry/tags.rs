//! Tags: what an image in a repository is called.

mod rules;
mod upsert;

use domain::{Result, Uidp, registry::Tag};
use store::{ListQuery, Listed, Reader, Writer, registry::tags};

pub use store::registry::tags::TagFilter;

use crate::nouns::{Noun, Nouns};

/// The use cases of tags. The history of what a tag stood for goes with it.
pub type Tags = Nouns<Tag>;

impl Noun for Tag {
    const NOUN: domain::Noun = domain::Noun::Tag;

    type Answer = Self;
    type Filter = TagFilter;
    type Needs = ();

    async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        tags::get(reader, uid).await
    }

    async fn show(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        tags::get(reader, uid).await
    }

    async fn list(reader: &mut Reader, query: &ListQuery<TagFilter>) -> Result<Listed<Self>> {
        tags::list(reader, query).await
    }

    async fn remove(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
        tags::delete(tx, uid).await
    }
}
