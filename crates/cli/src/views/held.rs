//! What an identity holds, and where.

use contract::chainguard::platform::iam::v2beta1::RoleBinding;
use serde_json::{Value, json};

/// A role that an identity holds at a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// The UID of the role binding.
    pub(crate) binding: String,
    /// The role's name; its UID when the caller does not see that.
    pub(crate) role: String,
    /// The group's name.
    pub(crate) group: String,
}

impl Held {
    /// What a role binding gives.
    pub(crate) fn by(binding: &RoleBinding) -> Self {
        Self {
            binding: binding.uid.clone(),
            role: binding.role.as_ref().map_or_else(|| binding.role_uid.clone(), |role| role.name.clone()),
            group: binding.group.as_ref().map(|group| group.name.clone()).unwrap_or_default(),
        }
    }

    /// Sorts by group, then by role.
    pub(crate) fn sort(held: &mut [Self]) {
        held.sort_by(|a, b| (&a.group, &a.role).cmp(&(&b.group, &b.role)));
    }

    /// The JSON of all of them.
    pub(crate) fn json(held: &[Self]) -> Value {
        held.iter().map(|held| json!({ "binding": held.binding, "role": held.role, "group": held.group })).collect()
    }
}
