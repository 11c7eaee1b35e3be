//! Repositories.

use super::{Given, bad_texts, touches};
use crate::model::{
    answer::{Outcome, Refusal, check, not_found, refused},
    history::{Noun, Ref, Step, Wish},
    state::{State, What, parent},
};

impl State {
    pub(super) fn create_repo(&mut self, step: &Step, given: &Given, place: &str, wish: &Wish) -> Outcome {
        let Wish::Repo { name, description, tier, tags } = wish else { unreachable!("a repository's wish") };
        check(&bad_texts(name, description))?;
        check_tags(tags)?;
        if self.find(Noun::Group, place).is_none() {
            return not_found();
        }
        let uid = given.uids.first().cloned().unwrap_or_else(|| format!("{place}/?"));
        self.check_free(name, place, &uid)?;
        let (name, description, tags) = (name.clone(), description.clone(), tags.clone());
        self.add(Ref::Made(step.number, 0), &uid, What::Repo { name, description, tier: *tier, tags });
        Ok((self.show(&uid), Some(uid)))
    }

    pub(super) fn update_repo(&mut self, uid: &str, wish: &Wish, mask: &[&str]) -> Result<(), Refusal> {
        let Wish::Repo { name, description, tier, tags } = wish else { unreachable!("a repository's wish") };
        let current = self.things[uid].what.clone();
        let mut wished = current.clone();
        if let What::Repo { name: n, description: d, tier: t, tags: a } = &mut wished {
            if touches(mask, "name", !name.is_empty()) {
                n.clone_from(name);
            }
            if touches(mask, "description", !description.is_empty()) {
                d.clone_from(description);
            }
            if touches(mask, "catalog_tier", *tier != 0) {
                *t = *tier;
            }
            if touches(mask, "active_tags", !tags.is_empty()) {
                a.clone_from(tags);
            }
        }
        let What::Repo { name, description, tags, .. } = &wished else { unreachable!("a repository") };
        check(&bad_texts(name, description))?;
        if wished == current {
            return Ok(());
        }
        check_tags(tags)?;
        self.check_free(name, parent(uid).unwrap_or("/"), uid)?;
        self.change(uid, wished);
        Ok(())
    }

    /// A group has one repository of a name.
    fn check_free(&self, name: &str, place: &str, uid: &str) -> Result<(), Refusal> {
        let taken = self.all(Noun::Repo).any(|(at, thing)| at != uid && parent(at) == Some(place) && thing.what.name() == name);
        if taken { refused("ALREADY_EXISTS", "NAME_TAKEN") } else { Ok(()) }
    }
}

/// Whether a tag may be called so.
pub(super) fn is_tag(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(['.', '-']) && !name.contains([' ', '/', ':'])
}

fn check_tags(tags: &[String]) -> Result<(), Refusal> {
    let bad: Vec<_> = (0..).zip(tags).filter(|(_, tag)| !is_tag(tag)).map(|(index, _)| format!("active_tags[{index}]")).collect();
    check(&bad.iter().map(String::as_str).collect::<Vec<_>>())
}
