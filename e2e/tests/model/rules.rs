//! The rules, said once more and in the plainest way: who may do what, and what it does.

mod bindings;
mod groups;
mod identities;
mod lists;
mod repos;
mod rights;
mod roles;
mod tags;
mod tokens;

use crate::model::{
    answer::{Answer, Outcome, Refusal, not_found, nothing, refused, wrong},
    history::{Action, Match, Noun, Step, Wish},
    state::{State, What},
};
pub(crate) use rights::CAPABILITIES;
use rights::to;
pub(crate) use roles::INTERNAL_ONLY;

/// What only the server knows: the identifiers and the token that it chose.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    pub(crate) uids: Vec<String>,
    /// The binding that makes the creator of an organization its owner.
    pub(crate) ownership: Option<String>,
    pub(crate) token: Option<String>,
}

impl State {
    /// Carries out a step and says how it must be answered.
    pub(crate) fn carry_out(&mut self, step: &Step, given: &Given) -> Answer {
        let mut after = self.clone();
        let outcome = after.attempt(step, given);
        if outcome.is_ok() && !step.validate_only {
            *self = after;
        }
        match outcome {
            Ok((body, tagged)) => Answer::Done { body, tagged },
            Err(refusal) => Answer::Refused(refusal),
        }
    }

    fn attempt(&mut self, step: &Step, given: &Given) -> Outcome {
        let number = step.number;
        match &step.action {
            Action::Operate => return Ok(self.operate(number, given)),
            Action::Exchange { subject, identity, narrowing } => {
                return self.exchange(number, given, subject, identity.as_ref(), narrowing);
            }
            Action::Narrow { narrowing } => return self.narrow(number, given, step.caller, narrowing),
            _ => {}
        }
        let rights = self.rights(step.caller)?;
        match &step.action {
            Action::Create { parent, wish } => {
                let place = parent.as_ref().map(|parent| self.uid(parent));
                match (wish, place) {
                    (Wish::Group { .. }, place) => self.create_group(step, given, &rights, place.as_deref(), wish),
                    (_, None) => wrong("REQUIRED", &["parent"]),
                    (_, Some(place)) => {
                        rights.require(to("create", noun(wish)), &place)?;
                        match wish {
                            Wish::Identity { .. } => self.create_identity(step, given, &place, wish),
                            Wish::Role { .. } => self.create_role(step, given, &place, wish),
                            Wish::Repo { .. } => self.create_repo(step, given, &place, wish),
                            Wish::Tag { .. } => self.put_tag(step, given, &rights, &place, wish),
                            _ => self.create_binding(step, given, &rights, &place, wish),
                        }
                    }
                }
            }
            Action::Batch { parent, role, entries } => {
                let place = self.uid(parent);
                rights.require(to("create", Noun::Binding), &place)?;
                if entries.is_empty() {
                    return wrong("REQUIRED", &["requests"]);
                }
                self.create_bindings(step, given, &rights, &place, role.as_ref(), entries)
            }
            Action::Get { noun, uid } => {
                let uid = self.uid(uid);
                let everybodys = *noun == Noun::Role && crate::model::state::parent(&uid).is_none();
                if !everybodys {
                    rights.require(to("list", *noun), &uid)?;
                }
                if self.find(*noun, &uid).is_none() { not_found() } else { Ok((self.show(&uid), Some(uid))) }
            }
            Action::Update { uid, wish, mask } => {
                let uid = self.uid(uid);
                rights.require(to("update", noun(wish)), &uid)?;
                if self.find(noun(wish), &uid).is_none() {
                    return not_found();
                }
                self.check_custom(&uid)?;
                self.check_version(step.if_match, &uid)?;
                if mask.contains(&"nonsense") {
                    return wrong("UPDATE_MASK", &["update_mask"]);
                }
                match wish {
                    Wish::Group { .. } => self.update_group(&rights, &uid, wish, mask)?,
                    Wish::Identity { .. } => self.update_identity(&rights, &uid, wish, mask)?,
                    Wish::Role { .. } => self.update_role(&rights, &uid, wish, mask)?,
                    Wish::Binding { .. } => self.update_binding(&rights, &uid, wish, mask)?,
                    Wish::Repo { .. } => self.update_repo(&uid, wish, mask)?,
                    Wish::Tag { .. } => unreachable!("a tag is made again"),
                }
                Ok((self.show(&uid), Some(uid)))
            }
            Action::Delete { noun, uid } => {
                let uid = self.uid(uid);
                rights.require(to("delete", *noun), &uid)?;
                match self.find(*noun, &uid) {
                    // Whoever wants a binding gone has what they want.
                    None if *noun == Noun::Binding => return Ok(nothing()),
                    None => return not_found(),
                    Some(_) => {}
                }
                self.check_custom(&uid)?;
                self.check_version(step.if_match, &uid)?;
                self.delete(*noun, &uid)?;
                Ok(nothing())
            }
            Action::List(list) => self.list(&rights, list),
            Action::Operate | Action::Exchange { .. } | Action::Narrow { .. } => Ok(nothing()),
        }
    }

    fn delete(&mut self, noun: Noun, uid: &str) -> Result<(), Refusal> {
        match noun {
            Noun::Group => self.check_empty(uid)?,
            Noun::Role if self.bindings().any(|(_, _, role)| role == uid) => {
                return refused("FAILED_PRECONDITION", "ROLE_BOUND");
            }
            Noun::Identity | Noun::Role | Noun::Binding | Noun::Repo | Noun::Tag => {}
        }
        self.things.remove(uid);
        // The bindings of an identity, those at a group, and the tags of a repository go along.
        self.things.retain(|at, thing| match &thing.what {
            What::Binding { identity, .. } => identity != uid && crate::model::state::parent(at) != Some(uid),
            What::Tag { .. } => crate::model::state::parent(at) != Some(uid),
            _ => true,
        });
        Ok(())
    }

    /// Built-in roles stay as they are.
    fn check_custom(&self, uid: &str) -> Result<(), Refusal> {
        let built_in = self.find(Noun::Role, uid).is_some() && crate::model::state::parent(uid).is_none();
        if built_in { refused("FAILED_PRECONDITION", "BUILT_IN") } else { Ok(()) }
    }

    fn check_version(&self, if_match: Option<Match>, uid: &str) -> Result<(), Refusal> {
        let thing = &self.things[uid];
        let fits = match if_match {
            None | Some(Match::Any) => true,
            Some(Match::Other) => false,
            Some(Match::Seen) => thing.seen.as_ref().is_none_or(|(version, _)| *version == thing.version),
        };
        if fits { Ok(()) } else { refused("ABORTED", "ETAG_MISMATCH") }
    }
}

fn noun(wish: &Wish) -> Noun {
    match wish {
        Wish::Group { .. } => Noun::Group,
        Wish::Identity { .. } => Noun::Identity,
        Wish::Role { .. } => Noun::Role,
        Wish::Binding { .. } => Noun::Binding,
        Wish::Repo { .. } => Noun::Repo,
        Wish::Tag { .. } => Noun::Tag,
    }
}

/// Whether a mask lets a field through; without a mask, populated ones pass.
fn touches(mask: &[&str], field: &str, populated: bool) -> bool {
    mask.contains(&"*") || mask.contains(&field) || mask.is_empty() && populated
}

/// The texts of a thing that are not as they must be.
fn bad_texts(name: &str, description: &str) -> Vec<&'static str> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || " ._-".contains(c);
    let mut bad = Vec::new();
    if name.is_empty() || name.len() > 255 || !name.chars().all(fits) {
        bad.push("name");
    }
    if description.chars().count() > 512 || description.contains(['\n', '\t']) {
        bad.push("description");
    }
    bad
}
