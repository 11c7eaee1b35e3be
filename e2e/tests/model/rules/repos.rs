//! Repositories and their tags.

use super::{Given, check_form, rights::Rights};
use crate::model::{
    answer::{Outcome, not_found},
    history::{Ref, Step, Wish},
    nouns::Noun,
    state::{Fields, State, parent},
};

impl State {
    /// A tag is made and changed by the same call.
    pub(super) fn put_tag(&mut self, step: &Step, given: &Given, rights: &Rights, place: &str, wish: &Wish) -> Outcome {
        let wished = self.fields(wish);
        check_form(Noun::Tag, None, &wished)?;
        if self.find(Noun::Repo, place).is_none() {
            return not_found();
        }
        let name = Ref::Made(step.number, 0);
        let known = self.which(Noun::Tag, |uid, tag| parent(uid) == Some(place) && tag.text("name") == wished.text("name"));
        let Some(uid) = known.first() else {
            let uid = given.uid(place);
            self.add(name, Noun::Tag, &uid, wished);
            return Ok(self.answer(Noun::Tag, uid));
        };
        let before = self.of(Noun::Tag, uid);
        if before.text("digest") != wished.text("digest") {
            rights.require(&["tag.update"], place)?;
        }
        if *before != wished {
            self.change(Noun::Tag, uid, |fields| *fields = wished);
        }
        self.names.insert(name, uid.clone());
        Ok(self.answer(Noun::Tag, uid.clone()))
    }
}

/// Whether a tag may be called so.
pub(super) fn is_tag(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(['.', '-']) && !name.contains([' ', '/', ':', '*'])
}

/// The entries of a list that are no tags.
pub(super) fn bad_tags(path: &str, fields: &Fields) -> Vec<String> {
    let tags = fields.texts(path);
    let bad = (0..).zip(tags).filter(|(_, tag)| !is_tag(tag));
    bad.map(|(index, _): (usize, _)| format!("{path}[{index}]")).collect()
}
