//! A place to aim at.

use std::collections::BTreeMap;

use domain::{Uidp, iam::role::built_in_uid};
use serde_json::Value;

/// A group with one thing of every noun in it, or in its organization where a noun is of those alone; the group among them is empty.
#[derive(Clone, Debug)]
pub struct Place {
    /// The group.
    pub at: Uidp,
    things: BTreeMap<&'static str, String>,
}

impl Place {
    /// What a noun is made in that is made in groups.
    pub(super) const AT: &str = "place";

    /// What a noun is made in that is made in organizations.
    pub(super) const ORGANIZATION: &str = "organization";

    /// A group that has nothing yet.
    #[must_use]
    pub fn empty(at: Uidp) -> Self {
        Self { at, things: BTreeMap::new() }
    }

    /// Remembers what it has of this noun.
    pub fn put(&mut self, noun: &'static str, uid: &str) {
        self.things.insert(noun, uid.to_owned());
    }

    /// Whether there is something of this noun.
    #[must_use]
    pub fn has(&self, noun: &str) -> bool {
        self.things.contains_key(noun)
    }

    /// What there is of this noun.
    #[must_use]
    pub fn of(&self, noun: &str) -> &str {
        match noun {
            Self::AT => self.at.as_str(),
            Self::ORGANIZATION => self.at.root_text(),
            noun => &self.things[noun],
        }
    }

    /// What of a place is bound, so that the overlay beside it can be deleted.
    pub(super) const BOUND: &str = "bound overlay";

    /// The overlay that is bound here: one of its own where a place has that.
    pub(super) fn overlay_to_bind(&self) -> &str {
        self.things.get(Self::BOUND).map_or_else(|| self.of("overlay"), String::as_str)
    }

    /// A role that everybody who may bind roles at all holds completely.
    pub(super) fn bindable() -> Value {
        built_in_uid("apk.pull").to_string().into()
    }
}
