//! The rules, said once more and in the plainest way: who may do what, and what it does.

mod accounts;
mod bindings;
mod groups;
mod identities;
mod invites;
mod limits;
mod lists;
mod overlays;
mod providers;
mod repos;
mod rights;
mod roles;
mod tokens;
mod users;
mod visibility;

use serde_json::Value;

use crate::model::{
    answer::{Answer, Outcome, Refusal, check, not_found, nothing, refused, wrong},
    history::{Action, Match, Ref, Step, Wish},
    nouns::Noun,
    state::{Fields, State, parent, root, within},
};
use rights::Rights;
pub(crate) use rights::{CAPABILITIES, Capability};
pub(crate) use roles::INTERNAL_ONLY;
pub(crate) use users::address;

/// What only the server knows: the identifiers and the texts that it chose.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    pub(crate) uids: Vec<String>,
    /// The binding that comes with something else: of the creator of an organization, or of who takes up an invite.
    pub(crate) binding: Option<String>,
    pub(crate) token: Option<String>,
    /// The code of an invite, and the key that goes with it.
    pub(crate) code: Option<String>,
    pub(crate) key: String,
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
            Action::Register { subject, invite } => return self.register(step, given, subject, invite.as_ref()),
            _ => {}
        }
        let rights = self.rights(step.caller)?;
        match &step.action {
            Action::Create { parent: None, wish } if wish.noun == Noun::Group => {
                self.create_organization(step, given, &rights, wish)
            }
            Action::Create { parent: None, .. } => wrong("REQUIRED", &["parent"]),
            Action::Create { parent: Some(parent), wish } => {
                let place = self.uid(parent);
                if wish.noun == Noun::Group {
                    // Where groups come to be is judged after what they are.
                    check_form(Noun::Group, None, &self.fields(wish))?;
                }
                rights.require(wish.noun.declared().create, &place)?;
                if wish.noun == Noun::OverlayBinding && !wish.fields.contains_key("tags") {
                    return wrong("REQUIRED", &["tags"]);
                }
                if wish.noun == Noun::Tag {
                    return self.put_tag(step, given, &rights, &place, wish);
                }
                self.create(step, given, &rights, &place, wish)
            }
            Action::Batch { parent, role, entries } => {
                let place = self.uid(parent);
                rights.require(Noun::Binding.declared().create, &place)?;
                if entries.is_empty() {
                    return wrong("REQUIRED", &["requests"]);
                }
                self.create_bindings(step, given, &rights, &place, role.as_ref(), entries)
            }
            Action::BatchDelete { parent, names } => {
                let place = self.uid(parent);
                rights.require(Noun::Mapping.declared().delete, &place)?;
                if names.is_empty() {
                    return wrong("REQUIRED", &["names"]);
                }
                self.delete_mappings(&place, names)
            }
            Action::Get { noun, uid } => {
                let uid = self.uid(uid);
                let everybodys = *noun == Noun::Role && parent(&uid).is_none();
                if !everybodys {
                    rights.require(noun.declared().list, &uid)?;
                }
                if self.find(*noun, &uid).is_none() { not_found() } else { Ok(self.answer(*noun, uid)) }
            }
            Action::Update { uid, wish, mask } => {
                let uid = self.uid(uid);
                rights.require(wish.noun.declared().update, &uid)?;
                let before = self.find(wish.noun, &uid).map(|thing| thing.version);
                self.update(step, &rights, &uid, wish, mask)?;
                let is_written = self.find(wish.noun, &uid).map(|thing| thing.version) != before;
                Ok(if is_written { self.answer_written(step, wish.noun, uid) } else { self.answer(wish.noun, uid) })
            }
            Action::Delete { noun, uid } => {
                let uid = self.uid(uid);
                rights.require(noun.declared().delete, &uid)?;
                if self.find(*noun, &uid).is_some() {
                    check_custom(*noun, &uid)?;
                    self.check_version(step.if_match, *noun, &uid)?;
                    self.check_free_to_go(*noun, &uid)?;
                    self.remove(*noun, &uid);
                } else if !matches!(noun, Noun::Binding | Noun::Accounts) {
                    // Whoever wants one of those gone has what they want.
                    return not_found();
                }
                Ok(nothing())
            }
            Action::Leave { uid } => self.leave(&rights, &self.uid(uid)),
            Action::Publish { noun, uid, public } => self.publish(step, &rights, *noun, self.uid(uid), *public),
            Action::Visibility { noun, uid } => self.visibility(&rights, *noun, self.uid(uid)),
            Action::Limit { uid, limits } => self.limit(step, &rights, self.uid(uid), limits),
            Action::Limits { uid } => {
                let uid = self.uid(uid);
                rights.require(Noun::Group.declared().list, &uid)?;
                self.used(uid)
            }
            Action::List(list) => self.list(&rights, list),
            Action::Operate | Action::Exchange { .. } | Action::Narrow { .. } | Action::Register { .. } => Ok(nothing()),
        }
    }

    /// The thing, and that its entity tag comes with it.
    fn answer(&self, noun: Noun, uid: String) -> (Value, Option<(Noun, String)>) {
        (self.show(noun, &uid), Some((noun, uid)))
    }

    /// The same for whoever has written it: a rehearsal of a binding shows no more of an identity than was sent.
    fn answer_written(&self, step: &Step, noun: Noun, uid: String) -> (Value, Option<(Noun, String)>) {
        let mut answer = self.answer(noun, uid);
        if noun == Noun::Binding && step.validate_only {
            bindings::hide_identity(&mut answer.0);
        }
        answer
    }

    fn create(&mut self, step: &Step, given: &Given, rights: &Rights, place: &str, wish: &Wish) -> Outcome {
        let (noun, mut made) = (wish.noun, self.fields(wish));
        check_form(noun, None, &made)?;
        match noun {
            Noun::OverlayBinding => self.check_overlay(rights, place, &mut made)?,
            Noun::Mapping if made.text("scope") != root(place) => return wrong("FIELD", &["scope"]),
            _ => {}
        }
        if self.find(noun.declared().lives_in, place).is_none() {
            return not_found();
        }
        check_parent(noun, place)?;
        let uid = if noun == Noun::Accounts { place.to_owned() } else { given.uid(place) };
        self.check_fit(rights, noun, place, &uid, None, &mut made)?;
        self.check_room(noun, place)?;
        self.check_free(noun, place, &uid, &made)?;
        if noun == Noun::Invite {
            self.offer(given, &uid, &mut made);
        }
        self.add(Ref::Made(step.number, 0), noun, &uid, made);
        let mut answer = self.answer_written(step, noun, uid);
        if noun == Noun::Invite && !step.validate_only {
            answer.0["code"] = "some".into();
        }
        Ok(answer)
    }

    fn update(&mut self, step: &Step, rights: &Rights, uid: &str, wish: &Wish, mask: &[&str]) -> Result<(), Refusal> {
        let noun = wish.noun;
        let Some(thing) = self.find(noun, uid) else { return not_found() };
        let before = thing.fields.clone();
        check_custom(noun, uid)?;
        self.check_version(step.if_match, noun, uid)?;
        if mask.contains(&"nonsense") {
            return wrong("UPDATE_MASK", &["update_mask"]);
        }
        let mut wished = before.clone();
        for path in noun.declared().fields.iter().copied().filter(|path| touches(mask, path, wish)) {
            wished.set(path, wish.fields.get(path).map(|field| self.value(field)).unwrap_or_default());
        }
        let mut again = None;
        match noun {
            // Unspecified, a folder is what its organization is.
            Noun::Group if parent(uid).is_some() && wished.text("kind").is_empty() => wished.set("kind", before.text("kind")),
            Noun::Identity => identities::one_proof(&before, &mut wished),
            Noun::Provider => {
                let gives = |path: &str| touches(mask, path, wish) && wish.fields.contains_key(path);
                again = providers::merge(&before, &mut wished, gives, mask)?;
            }
            _ => {}
        }
        check_form(noun, again, &wished)?;
        if wished == before {
            return Ok(());
        }
        self.check_fit(rights, noun, parent(uid).unwrap_or("/"), uid, Some(&before), &mut wished)?;
        self.check_free(noun, parent(uid).unwrap_or("/"), uid, &wished)?;
        let (proof, kind) = (identities::is_another(&before, &wished), wished.get("kind") != before.get("kind"));
        self.change(noun, uid, |fields| *fields = wished);
        match noun {
            Noun::Identity if proof => self.forget(uid),
            Noun::Group if kind => self.pass_on_kind(uid),
            _ => {}
        }
        Ok(())
    }

    /// What is wrong with a thing beside all others.
    fn check_fit(
        &self,
        rights: &Rights,
        noun: Noun,
        place: &str,
        uid: &str,
        before: Option<&Fields>,
        wished: &mut Fields,
    ) -> Result<(), Refusal> {
        match noun {
            Noun::Group => self.check_group(rights, uid, before, wished),
            Noun::Identity => self.check_identity(rights, uid, before, wished),
            Noun::Role => self.check_role(rights, uid, before, wished),
            Noun::Binding => self.check_binding(rights, place, wished, ""),
            Noun::Provider => self.check_gift(rights, place, "default_role", wished),
            Noun::Mapping => self.check_mapping(rights, place, wished),
            Noun::Invite => self.check_gift(rights, place, "role_uid", wished),
            Noun::Accounts => self.check_accounts(uid, before, wished),
            Noun::Repo | Noun::Tag | Noun::Overlay | Noun::OverlayBinding => Ok(()),
        }
    }

    /// What waits for others to go first.
    fn check_free_to_go(&self, noun: Noun, uid: &str) -> Result<(), Refusal> {
        let keeps = |of: &Noun| of.declared().keeps_group && self.all(*of).any(|(at, _)| at != uid && within(at, uid));
        let blocked = match noun {
            Noun::Group => Noun::ALL.iter().any(keeps),
            Noun::Overlay => self.all(Noun::OverlayBinding).any(|(_, binding)| binding.fields.text("overlay") == uid),
            Noun::Role if self.places_of(uid).any(|(noun, _)| noun != Noun::Invite) => {
                return refused("FAILED_PRECONDITION", "ROLE_BOUND");
            }
            _ => false,
        };
        if blocked { refused("FAILED_PRECONDITION", "NOT_EMPTY") } else { Ok(()) }
    }

    /// Takes a thing away, with what lives in it and what is said of it elsewhere.
    fn remove(&mut self, noun: Noun, uid: &str) {
        // An account association has the identifier of its group, and nothing lives in it.
        let goes = |of: Noun, at: &str| if noun == Noun::Accounts { of == noun && at == uid } else { within(at, uid) };
        for (of, things) in &mut self.things {
            things.retain(|at, _| !goes(*of, at));
        }
        if noun == Noun::Identity {
            let bindings = self.things.get_mut(&Noun::Binding).into_iter();
            bindings.for_each(|bindings| bindings.retain(|_, thing| thing.fields.text("identity_uid") != uid));
            self.forget(uid);
        }
    }

    fn check_version(&self, if_match: Option<Match>, noun: Noun, uid: &str) -> Result<(), Refusal> {
        let thing = self.find(noun, uid).expect("it is there");
        let fits = match if_match {
            None | Some(Match::Any) => true,
            Some(Match::Other) => false,
            Some(Match::Seen) => thing.seen.as_ref().is_none_or(|(version, _)| *version == thing.version),
        };
        if fits { Ok(()) } else { refused("ABORTED", "ETAG_MISMATCH") }
    }

    /// A group has one repository and one overlay of a name.
    fn check_free(&self, noun: Noun, place: &str, uid: &str, wished: &Fields) -> Result<(), Refusal> {
        if !matches!(noun, Noun::Repo | Noun::Overlay) {
            return Ok(());
        }
        let name = wished.text("name");
        let taken = self.all(noun).any(|(at, thing)| at != uid && parent(at) == Some(place) && thing.fields.text("name") == name);
        if taken { refused("ALREADY_EXISTS", "NAME_TAKEN") } else { Ok(()) }
    }

    /// Roles are given where they are and below, by who holds all that is in them.
    fn check_gift(&self, rights: &Rights, place: &str, field: &str, wished: &Fields) -> Result<(), Refusal> {
        let role = wished.text(field);
        let fits = parent(role).is_none_or(|group| within(place, group));
        if self.find(Noun::Role, role).is_none() || !fits {
            return wrong("OTHER_ORGANIZATION", &[field]);
        }
        rights.may_give(&self.capabilities(role), place)
    }
}

impl Given {
    /// The identifier of the one thing that was made; another in a rehearsal that failed.
    fn uid(&self, place: &str) -> String {
        self.uids.first().cloned().unwrap_or_else(|| format!("{place}/?"))
    }
}

/// Built-in roles stay as they are.
fn check_custom(noun: Noun, uid: &str) -> Result<(), Refusal> {
    let built_in = noun == Noun::Role && parent(uid).is_none();
    if built_in { refused("FAILED_PRECONDITION", "BUILT_IN") } else { Ok(()) }
}

/// Identity providers are for organizations.
fn check_parent(noun: Noun, place: &str) -> Result<(), Refusal> {
    if noun == Noun::Provider && parent(place).is_some() { wrong("FIELD", &["parent"]) } else { Ok(()) }
}

/// Whether a mask lets a field through, by itself or with the message that it is in; without a mask, what was sent passes.
fn touches(mask: &[&str], path: &str, wish: &Wish) -> bool {
    let names = |named: &&str| path == *named || path.strip_prefix(*named).is_some_and(|rest| rest.starts_with('.'));
    mask.contains(&"*") || mask.iter().any(names) || mask.is_empty() && wish.fields.contains_key(path)
}

/// What a thing must be, whatever else there is. `again` names a field that has to be given once more.
fn check_form(noun: Noun, again: Option<String>, fields: &Fields) -> Result<(), Refusal> {
    let mut bad = Vec::new();
    let (name, description) = (fields.text("name"), fields.text("description"));
    if noun == Noun::Tag && !repos::is_tag(name) || noun != Noun::Tag && noun.has_name() && !is_name(name) {
        bad.push("name".to_owned());
    }
    if description.chars().count() > 512 || description.contains(['\n', '\t']) {
        bad.push("description".to_owned());
    }
    // The texts of most things, and what has to be there, are judged before all else.
    match noun {
        Noun::Provider => bad.extend(absent(fields, &["default_role", "oidc.issuer", "oidc.client_id"])),
        Noun::Invite => bad.extend(absent(fields, &["role_uid", "ttl"])),
        Noun::Overlay if overlays::packages(fields).is_empty() => bad.push("config".to_owned()),
        _ => {}
    }
    if !matches!(noun, Noun::Identity | Noun::Tag) {
        check(&bad)?;
    }
    bad.extend(again);
    match noun {
        Noun::Identity => bad.extend(identities::bad_proof(fields)),
        Noun::Role => bad.extend(roles::bad_capabilities(fields)),
        Noun::Provider => bad.extend(providers::bad(fields)),
        Noun::Mapping => bad.extend(absent(fields, &["external_group_id", "role_uid", "scope"])),
        Noun::Invite => bad.extend(invites::bad(fields)),
        Noun::Accounts => bad.extend(accounts::bad(fields)),
        Noun::Repo => bad.extend(repos::bad_tags("active_tags", fields)),
        Noun::Tag => bad.extend(absent(fields, &["digest"])),
        Noun::Overlay => bad.extend(overlays::bad(fields)),
        Noun::OverlayBinding => bad.extend(repos::bad_tags("tags", fields)),
        Noun::Group | Noun::Binding => {}
    }
    check(&bad)
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || " ._-".contains(c);
    !name.is_empty() && name.len() <= 255 && name.chars().all(fits)
}

/// Those of these fields that are not there.
fn absent(fields: &Fields, wanted: &[&str]) -> Vec<String> {
    wanted.iter().filter(|path| fields.get(path).is_none()).map(|path| (*path).to_owned()).collect()
}
