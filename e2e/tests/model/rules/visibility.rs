//! What everybody may see: repositories by themselves, and all in a group.

use serde_json::json;

use super::rights::Rights;
use crate::model::{
    answer::{Done, Outcome, not_found},
    history::Step,
    nouns::Noun,
    state::{State, parent},
};

impl State {
    pub(super) fn publish(&mut self, step: &Step, rights: &Rights, noun: Noun, uid: String, public: bool) -> Outcome {
        rights.require(&["groups.update", "repo.update"], &uid)?;
        let Some(thing) = self.find(noun, &uid) else { return not_found() };
        let was = thing.fields.is("public");
        self.check_version(step.if_match, noun, &uid)?;
        if was != public {
            self.change(noun, &uid, |fields| fields.set("public", public));
        }
        Ok(self.visible(noun, uid))
    }

    pub(super) fn visibility(&self, rights: &Rights, noun: Noun, uid: String) -> Outcome {
        rights.require(noun.declared().list, &uid)?;
        if self.find(noun, &uid).is_none() { not_found() } else { Ok(self.visible(noun, uid)) }
    }

    /// With the nearest group above that makes it public.
    fn visible(&self, noun: Noun, uid: String) -> Done {
        let public = |group: &&str| self.of(Noun::Group, group).is("public");
        let by = std::iter::successors(parent(&uid), |above| parent(above)).find(public).unwrap_or_default().to_owned();
        (json!({ "uid": uid, "public": self.of(noun, &uid).is("public"), "publicBy": by }), Some((noun, uid)))
    }
}
