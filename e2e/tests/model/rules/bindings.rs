//! Role bindings.

use serde_json::{Value, json};

use super::{Given, rights::Rights, touches};
use crate::model::{
    answer::{Outcome, Refusal, not_found, wrong},
    history::{Noun, Ref, Step, Wish},
    state::{State, What, parent, root, within},
};

impl State {
    pub(super) fn create_binding(&mut self, step: &Step, given: &Given, rights: &Rights, place: &str, wish: &Wish) -> Outcome {
        let Wish::Binding { identity, role } = wish else { unreachable!("a binding's wish") };
        if self.find(Noun::Group, place).is_none() {
            return not_found();
        }
        let (identity, role) = (self.uid(identity), self.uid(role));
        self.check_binding(rights, place, &identity, &role, "")?;
        let uid = given.uids.first().cloned().unwrap_or_else(|| "?".to_owned());
        self.add(Ref::Made(step.number, 0), &uid, What::Binding { identity, role });
        Ok((self.show(&uid), Some(uid)))
    }

    pub(super) fn create_bindings(
        &mut self,
        step: &Step,
        given: &Given,
        rights: &Rights,
        place: &str,
        role: Option<&Ref>,
        entries: &[(Ref, Option<Ref>)],
    ) -> Outcome {
        if entries.len() > 25 {
            return wrong("FIELD", &["requests"]);
        }
        let mut bad = Vec::new();
        for (index, (_, own)) in entries.iter().enumerate() {
            let fits = match (own, role) {
                (None, None) => false,
                (Some(own), Some(role)) => self.uid(own) == self.uid(role),
                _ => true,
            };
            if !fits {
                bad.push(format!("requests[{index}].role_binding.role_uid"));
            }
        }
        if !bad.is_empty() {
            return wrong("FIELD", &bad.iter().map(String::as_str).collect::<Vec<_>>());
        }
        if self.find(Noun::Group, place).is_none() {
            return not_found();
        }
        let mut made = Vec::new();
        for (index, (identity, own)) in entries.iter().enumerate() {
            let role = own.as_ref().or(role).map(|role| self.uid(role)).unwrap_or_default();
            let identity = self.uid(identity);
            self.check_binding(rights, place, &identity, &role, &format!("requests[{index}].role_binding."))?;
            let uid = given.uids.get(index).cloned().unwrap_or_else(|| format!("?{index}"));
            self.add(Ref::Made(step.number, index), &uid, What::Binding { identity, role });
            made.push(uid);
        }
        let shown: Vec<Value> = made.iter().map(|uid| self.show(uid)).collect();
        Ok((json!({"roleBindings": shown}), None))
    }

    pub(super) fn update_binding(&mut self, rights: &Rights, uid: &str, wish: &Wish, mask: &[&str]) -> Result<(), Refusal> {
        let Wish::Binding { identity, role } = wish else { unreachable!("a binding's wish") };
        let current = self.things[uid].what.clone();
        let mut wished = current.clone();
        if let What::Binding { identity: i, role: r } = &mut wished {
            if touches(mask, "identity_uid", true) {
                *i = self.uid(identity);
            }
            if touches(mask, "role_uid", true) {
                *r = self.uid(role);
            }
        }
        if wished == current {
            return Ok(());
        }
        if let What::Binding { identity, role } = &wished {
            self.check_binding(rights, parent(uid).unwrap_or("/"), identity, role, "")?;
        }
        self.change(uid, wished);
        Ok(())
    }

    /// Identities of the same organization and users, to built-in roles and those of the group and above it, with nothing in
    /// them that whoever binds does not hold there.
    fn check_binding(&self, rights: &Rights, place: &str, identity: &str, role: &str, prefix: &str) -> Result<(), Refusal> {
        let mut bad = Vec::new();
        let is_user = parent(identity).is_none();
        if self.find(Noun::Identity, identity).is_none() || !(is_user || root(identity) == root(place)) {
            bad.push(format!("{prefix}identity_uid"));
        }
        let fits = parent(role).is_none_or(|group| within(place, group));
        if self.find(Noun::Role, role).is_none() || !fits {
            bad.push(format!("{prefix}role_uid"));
        }
        if !bad.is_empty() {
            return wrong("OTHER_ORGANIZATION", &bad.iter().map(String::as_str).collect::<Vec<_>>());
        }
        rights.may_give(&self.capabilities(role), place)
    }
}
