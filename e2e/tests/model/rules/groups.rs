//! Groups: organizations and folders.

use super::{
    Given, bad_texts,
    rights::{Rights, need},
    touches,
};
use crate::model::{
    answer::{Outcome, Refusal, check, not_found, refused, wrong},
    history::{Kind, Noun, Ref, Step, Wish},
    state::{State, What, parent, root, within},
};

impl State {
    pub(super) fn create_group(
        &mut self,
        step: &Step,
        given: &Given,
        rights: &Rights,
        place: Option<&str>,
        wish: &Wish,
    ) -> Outcome {
        let Wish::Group { name, description, verified, kind } = wish else { unreachable!("a group's wish") };
        check(&bad_texts(name, description))?;
        let uid = given.uids.first().cloned().unwrap_or_else(|| "?".to_owned());
        let mut made = What::Group { name: name.clone(), description: description.clone(), verified: *verified, kind: *kind };
        if let Some(place) = place {
            rights.require(need("groups.create"), place)?;
            let Some(What::Group { kind: above, .. }) = self.find(Noun::Group, place).map(|thing| thing.what.clone()) else {
                return not_found();
            };
            check_folder(rights, *verified, *kind, above)?;
            if let What::Group { kind, .. } = &mut made {
                *kind = above;
            }
        } else {
            rights.require_organizations()?;
            self.check_organization(rights, None, &uid, &made)?;
        }
        self.add(Ref::Made(step.number, 0), &uid, made);
        if let (None, Some(creator)) = (place, &rights.identity) {
            let owner = self.all(Noun::Role).find(|(uid, thing)| parent(uid).is_none() && thing.what.name() == "owner");
            let role = owner.map(|(uid, _)| uid.clone()).expect("there is a role owner");
            let ownership = given.ownership.clone().unwrap_or_else(|| format!("{uid}/?"));
            self.add(Ref::Made(step.number, 1), &ownership, What::Binding { identity: creator.clone(), role });
        }
        Ok((self.show(&uid), Some(uid)))
    }

    pub(super) fn update_group(&mut self, rights: &Rights, uid: &str, wish: &Wish, mask: &[&str]) -> Result<(), Refusal> {
        let Wish::Group { name, description, verified, kind } = wish else { unreachable!("a group's wish") };
        let current = self.things[uid].what.clone();
        let mut wished = current.clone();
        if let What::Group { name: n, description: d, verified: v, kind: k } = &mut wished {
            if touches(mask, "name", !name.is_empty()) {
                n.clone_from(name);
            }
            if touches(mask, "description", !description.is_empty()) {
                d.clone_from(description);
            }
            if touches(mask, "verified", *verified) {
                *v = *verified;
            }
            // Unspecified, a folder is what its organization is.
            let says = *kind != Kind::Unspecified || parent(uid).is_none();
            if touches(mask, "kind", *kind != Kind::Unspecified) && says {
                *k = *kind;
            }
        }
        let What::Group { name, description, verified, kind } = &wished else { unreachable!("a group") };
        check(&bad_texts(name, description))?;
        if wished == current {
            return Ok(());
        }
        let What::Group { kind: before, .. } = current else { unreachable!("a group") };
        if parent(uid).is_some() {
            check_folder(rights, *verified, *kind, before)?;
            let wished = What::Group { name: name.clone(), description: description.clone(), verified: false, kind: before };
            self.change(uid, wished);
            return Ok(());
        }
        self.check_organization(rights, Some(&current), uid, &wished)?;
        let kind = *kind;
        self.change(uid, wished);
        if kind != before {
            // What an organization is, its folders are.
            let folders: Vec<_> =
                self.all(Noun::Group).filter(|(at, _)| *at != uid && root(at) == uid).map(|(at, _)| at.clone()).collect();
            for folder in folders {
                let mut what = self.things[&folder].what.clone();
                if let What::Group { kind: inherited, .. } = &mut what {
                    *inherited = kind;
                }
                self.change(&folder, what);
            }
        }
        Ok(())
    }

    /// A group goes when nothing but its bindings is left in it.
    pub(super) fn check_empty(&self, uid: &str) -> Result<(), Refusal> {
        let blocked = self.things.iter().any(|(at, thing)| at != uid && within(at, uid) && thing.what.noun() != Noun::Binding);
        if blocked { refused("FAILED_PRECONDITION", "NOT_EMPTY") } else { Ok(()) }
    }

    fn check_organization(&self, rights: &Rights, before: Option<&What>, uid: &str, wish: &What) -> Result<(), Refusal> {
        let What::Group { name, verified, kind, .. } = wish else { unreachable!("a group") };
        let (was_verified, was_named) = match before {
            Some(What::Group { name, verified, .. }) => (*verified, Some(name)),
            _ => (false, None),
        };
        if was_verified != *verified || was_verified && was_named != Some(name) {
            rights.require_operator()?;
        }
        if !verified {
            return Ok(());
        }
        let mut bad = Vec::new();
        if !is_domain(name) {
            bad.push("name");
        }
        if *kind == Kind::Unspecified {
            bad.push("kind");
        }
        check(&bad)?;
        let taken = |(at, thing): (&String, &crate::model::state::Thing)| {
            at != uid && matches!(&thing.what, What::Group { name: other, verified: true, .. } if other == name)
        };
        if self.all(Noun::Group).any(taken) { refused("ALREADY_EXISTS", "NAME_TAKEN") } else { Ok(()) }
    }
}

/// Folders are what their organization is.
fn check_folder(rights: &Rights, verified: bool, kind: Kind, above: Kind) -> Result<(), Refusal> {
    let mut bad = Vec::new();
    if verified {
        rights.require_operator()?;
        bad.push("verified");
    }
    if kind != Kind::Unspecified && kind != above {
        bad.push("kind");
    }
    if bad.is_empty() { Ok(()) } else { wrong("FIELD", &bad) }
}

fn is_domain(name: &str) -> bool {
    let fits = |label: &str| {
        (1..=63).contains(&label.len())
            && label.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= 253 && name.contains('.') && name.split('.').all(fits)
}
