//! Role bindings.

use serde_json::{Value, json};

use super::{Given, rights::Rights};
use crate::model::{
    answer::{Outcome, Refusal, not_found, wrong},
    history::{Ref, Step},
    nouns::Noun,
    state::{Fields, State, parent, root, within},
};

impl State {
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
            return wrong("FIELD", &bad);
        }
        if self.find(Noun::Group, place).is_none() {
            return not_found();
        }
        let mut made = Vec::new();
        for (index, (identity, own)) in entries.iter().enumerate() {
            let role = own.as_ref().or(role).map(|role| self.uid(role)).unwrap_or_default();
            let binding = binding(&self.uid(identity), &role);
            self.check_binding(rights, place, &binding, &format!("requests[{index}].role_binding."))?;
            self.check_room(Noun::Binding, place)?;
            let uid = given.uids.get(index).cloned().unwrap_or_else(|| format!("{place}/?{index}"));
            self.add(Ref::Made(step.number, index), Noun::Binding, &uid, binding);
            made.push(uid);
        }
        let shown: Vec<Value> = made.into_iter().map(|uid| self.answer_written(step, Noun::Binding, uid).0).collect();
        Ok((json!({"roleBindings": shown}), None))
    }

    /// Identities of the same organization and users, to built-in roles and those of the group and above it, with nothing in
    /// them that whoever binds does not hold there.
    pub(super) fn check_binding(&self, rights: &Rights, place: &str, wished: &Fields, prefix: &str) -> Result<(), Refusal> {
        let (identity, role) = (wished.text("identity_uid"), wished.text("role_uid"));
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
            return wrong("OTHER_ORGANIZATION", &bad);
        }
        rights.may_give(&self.capabilities(role), place)
    }
}

/// Leaves of the identity in a binding what whoever binds it has sent.
pub(super) fn hide_identity(shown: &mut Value) {
    for field in ["name", "description", "subject", "issuer", "email"] {
        shown["identity"][field] = "".into();
    }
}

/// The binding of an identity to a role.
pub(super) fn binding(identity: &str, role: &str) -> Fields {
    let mut fields = Fields::default();
    fields.set("identity_uid", identity);
    fields.set("role_uid", role);
    fields
}
