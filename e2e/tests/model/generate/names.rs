//! Which things the steps name.

use super::Generator;
use crate::model::{
    history::{Noun, Ref},
    state::{State, parent, root},
};

/// Built-in roles that say something about groups, identities, roles, bindings and repositories.
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

    /// A name for an identity that may fit there.
    pub(super) fn identity(&mut self, state: &State, at: &Ref) -> Ref {
        let place = state.uid(at);
        let near = |uid: &str| state.find(Noun::Identity, uid).is_some() && root(uid) == root(&place);
        let fitting: Vec<Ref> = state.names.iter().filter(|(_, uid)| near(uid)).map(|(name, _)| name.clone()).collect();
        if fitting.is_empty() || self.random.one_in(6) { self.name(state, Noun::Identity) } else { self.random.pick(&fitting) }
    }

    /// A name for a role: of the few that grant something here more often than of others.
    pub(super) fn role(&mut self, state: &State) -> Ref {
        let useful = |uid: &str| {
            state.find(Noun::Role, uid).is_some_and(|role| parent(uid).is_some() || USEFUL.contains(&role.what.name()))
        };
        let fitting: Vec<Ref> = state.names.iter().filter(|(_, uid)| useful(uid)).map(|(name, _)| name.clone()).collect();
        if fitting.is_empty() || self.random.one_in(6) { self.name(state, Noun::Role) } else { self.random.pick(&fitting) }
    }
}
