//! Tags: what an image in a repository is called.

mod rules;
mod upsert;

use domain::registry::Tag;

pub use store::registry::tags::TagFilter;

use crate::nouns::{Noun, Nouns};

/// The use cases of tags. The history of what a tag stood for goes with it.
pub type Tags = Nouns<Tag>;

impl Noun for Tag {
    type Answer = Self;
    type Filter = TagFilter;
    type Needs = ();
}
