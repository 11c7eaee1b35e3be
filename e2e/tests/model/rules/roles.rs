//! Roles.

use std::collections::BTreeSet;

use super::{
    Given, bad_texts,
    rights::{Rights, need},
    touches,
};
use crate::model::{
    answer::{Outcome, Refusal, check, not_found},
    history::{Noun, Ref, Step, Wish},
    state::{State, What},
};

/// Only the platform's own roles may have it.
pub(crate) const INTERNAL_ONLY: &str = "CAP_REPO_INTERNAL_ADMIN";

impl State {
    pub(super) fn create_role(&mut self, step: &Step, given: &Given, place: &str, wish: &Wish) -> Outcome {
        let Wish::Role { name, description, capabilities } = wish else { unreachable!("a role's wish") };
        let capabilities: BTreeSet<String> = capabilities.iter().map(|capability| (*capability).to_owned()).collect();
        check(&bad_texts(name, description))?;
        check_capabilities(&capabilities)?;
        if self.find(Noun::Group, place).is_none() {
            return not_found();
        }
        let uid = given.uids.first().cloned().unwrap_or_else(|| "?".to_owned());
        let (name, description) = (name.clone(), description.clone());
        self.add(Ref::Made(step.number, 0), &uid, What::Role { name, description, capabilities });
        Ok((self.show(&uid), Some(uid)))
    }

    pub(super) fn update_role(&mut self, rights: &Rights, uid: &str, wish: &Wish, mask: &[&str]) -> Result<(), Refusal> {
        let Wish::Role { name, description, capabilities } = wish else { unreachable!("a role's wish") };
        let current = self.things[uid].what.clone();
        let mut wished = current.clone();
        if let What::Role { name: n, description: d, capabilities: c } = &mut wished {
            if touches(mask, "name", !name.is_empty()) {
                n.clone_from(name);
            }
            if touches(mask, "description", !description.is_empty()) {
                d.clone_from(description);
            }
            if touches(mask, "capabilities", !capabilities.is_empty()) {
                *c = capabilities.iter().map(|capability| (*capability).to_owned()).collect();
            }
        }
        let What::Role { name, description, capabilities } = &wished else { unreachable!("a role") };
        check(&bad_texts(name, description))?;
        if wished == current {
            return Ok(());
        }
        check_capabilities(capabilities)?;
        let added: BTreeSet<_> = capabilities.difference(&self.capabilities(uid)).cloned().collect();
        for (at, _, role) in self.bindings() {
            if role == uid {
                rights.may_give(&added, at)?;
            }
        }
        self.change(uid, wished);
        Ok(())
    }
}

fn check_capabilities(capabilities: &BTreeSet<String>) -> Result<(), Refusal> {
    let alone = capabilities.contains(INTERNAL_ONLY) && !capabilities.contains(need("internal"));
    if capabilities.is_empty() || alone { check(&["capabilities"]) } else { Ok(()) }
}
