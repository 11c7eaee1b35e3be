//! Which things the steps name.

use super::Generator;
use crate::model::{
    history::Ref,
    nouns::Noun,
    state::{State, parent, root},
};

/// Built-in roles that say something about what is made here.
const USEFUL: &[&str] = &["owner", "editor", "viewer", "console_viewer", "limited_owner", "registry.push"];
/// Groups are at most this many levels below their organization.
const DEPTH: usize = 5;

impl Generator {
    /// A name for one of these: mostly of one that exists.
    pub(super) fn name(&mut self, state: &State, noun: Noun) -> Ref {
        let existing = |noun: Noun| -> Vec<Ref> {
            let named = state.names.iter().filter(|(_, uid)| state.find(noun, uid).is_some());
            named.map(|(name, _)| name.clone()).collect()
        };
        let (all, other): (Vec<Ref>, Noun) = (state.names.keys().cloned().collect(), self.random.pick(&Noun::ALL));
        let of_noun = existing(noun);
        match self.random.below(30) {
            0 => Ref::Nowhere,
            1 => Ref::Below(Box::new(self.random.pick(&all))),
            // Perhaps of what is gone, or of another noun.
            2 => self.random.pick(&all),
            3 => {
                let others = existing(other);
                if others.is_empty() { Ref::Nowhere } else { self.random.pick(&others) }
            }
            _ if of_noun.is_empty() => Ref::Nowhere,
            _ => self.random.pick(&of_noun),
        }
    }

    /// A name for a group with room below it.
    pub(super) fn place(&mut self, state: &State) -> Ref {
        let name = self.name(state, Noun::Group);
        if state.uid(&name).matches('/').count() < DEPTH { name } else { Ref::Initial(0) }
    }

    /// A name for an organization, rarely for another group.
    pub(super) fn organization(&mut self, state: &State) -> Ref {
        let named = state.names.iter().filter(|(_, uid)| parent(uid).is_none() && state.find(Noun::Group, uid).is_some());
        let all: Vec<Ref> = named.map(|(name, _)| name.clone()).collect();
        if all.is_empty() || self.random.one_in(6) { self.name(state, Noun::Group) } else { self.random.pick(&all) }
    }

    /// A name for one of these that is in the same organization: rarely of any.
    pub(super) fn near(&mut self, state: &State, noun: Noun, at: &Ref) -> Ref {
        let place = state.uid(at);
        self.of_those(state, noun, |uid| root(uid) == root(&place))
    }

    /// A name for an identity of the group itself that is a part of the platform: rarely of any.
    pub(super) fn principal(&mut self, state: &State, at: &Ref, principal: &str) -> Ref {
        let place = state.uid(at);
        let is = |uid: &str| state.of(Noun::Identity, uid).text("service_principal") == principal;
        self.of_those(state, Noun::Identity, |uid| parent(uid) == Some(place.as_str()) && is(uid))
    }

    /// A name for one of these that is to be changed: rarely for a role that is built in, often for who holds a role or what is held.
    pub(super) fn own(&mut self, state: &State, noun: Noun) -> Ref {
        let in_use = self.random.one_in(2);
        self.of_those(state, noun, |uid| match noun {
            Noun::Role => parent(uid).is_some() && (!in_use || state.places_of(uid).next().is_some()),
            Noun::Identity => !in_use || state.bindings().any(|(_, of, _)| of == uid),
            _ => true,
        })
    }

    /// A name for a role: of the few that grant something here more often than of others, and of one more often than of these.
    pub(super) fn role(&mut self, state: &State) -> Ref {
        let useful = if self.random.one_in(3) { &["viewer"] } else { USEFUL };
        self.of_those(state, Noun::Role, |uid| {
            useful.len() > 1 && parent(uid).is_some() || useful.contains(&state.of(Noun::Role, uid).text("name"))
        })
    }

    /// A name for an identity that somebody can become: rarely of any.
    pub(super) fn workload(&mut self, state: &State) -> Ref {
        self.of_those(state, Noun::Identity, |uid| state.of(Noun::Identity, uid).get("claim_match.subject").is_some())
    }

    /// A name for an invite, also of those that were taken up; rarely of what was none. Nothing before there was one.
    pub(super) fn invite(&mut self, state: &State) -> Option<Ref> {
        let named = state.names.iter().filter(|(_, uid)| state.codes.contains_key(*uid));
        let all: Vec<Ref> = named.map(|(name, _)| name.clone()).collect();
        let latest = &all[all.len().saturating_sub(5)..];
        if self.random.one_in(15) { Some(Ref::Nowhere) } else { (!all.is_empty()).then(|| self.random.pick(latest)) }
    }

    fn of_those(&mut self, state: &State, noun: Noun, fits: impl Fn(&str) -> bool) -> Ref {
        let named = state.names.iter().filter(|(_, uid)| state.find(noun, uid).is_some() && fits(uid));
        let fitting: Vec<Ref> = named.map(|(name, _)| name.clone()).collect();
        if fitting.is_empty() || self.random.one_in(6) { self.name(state, noun) } else { self.random.pick(&fitting) }
    }
}
