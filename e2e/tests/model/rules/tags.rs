//! Tags: made and changed by the same call.

use super::{
    Given,
    rights::{Rights, to},
};
use crate::model::{
    answer::{Outcome, check, not_found},
    history::{Noun, Ref, Step, Wish},
    state::{State, What, parent},
};

impl State {
    pub(super) fn put_tag(&mut self, step: &Step, given: &Given, rights: &Rights, place: &str, wish: &Wish) -> Outcome {
        let Wish::Tag { name, digest, deprecated } = wish else { unreachable!("a tag's wish") };
        let bad_name = !super::repos::is_tag(name);
        let bad: Vec<_> =
            [("name", bad_name), ("digest", *digest == 0)].iter().filter(|(_, bad)| *bad).map(|(field, _)| *field).collect();
        check(&bad)?;
        if self.find(Noun::Repo, place).is_none() {
            return not_found();
        }
        let what = What::Tag { name: name.clone(), digest: *digest, deprecated: *deprecated };
        let known = self.all(Noun::Tag).find(|(uid, tag)| parent(uid) == Some(place) && tag.what.name() == name);
        let Some((uid, tag)) = known.map(|(uid, tag)| (uid.clone(), tag.what.clone())) else {
            let uid = given.uids.first().cloned().unwrap_or_else(|| format!("{place}/?"));
            self.add(Ref::Made(step.number, 0), &uid, what);
            return Ok((self.show(&uid), Some(uid)));
        };
        if !matches!(&tag, What::Tag { digest: known, .. } if known == digest) {
            rights.require(to("update", Noun::Tag), place)?;
        }
        self.names.insert(Ref::Made(step.number, 0), uid.clone());
        if tag != what {
            self.change(&uid, what);
        }
        Ok((self.show(&uid), Some(uid)))
    }
}
