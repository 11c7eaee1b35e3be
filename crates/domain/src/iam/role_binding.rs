//! Role bindings: a role held by an identity at a group.

use serde::{Deserialize, Serialize};

use crate::{
    iam::{Group, Identity, Role},
    revision::Revision,
    time::Timestamp,
    uidp::Uidp,
};

/// A role held by an identity at the binding's parent group and everything below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleBinding {
    /// Its identifier; the parent is the group.
    pub uid: Uidp,
    /// What callers may set.
    pub spec: RoleBindingSpec,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// What callers may set of a role binding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleBindingSpec {
    /// Who holds the role.
    pub identity: Uidp,
    /// Which role.
    pub role: Uidp,
}

/// A role binding together with what it names. References are always whole: a binding goes with its identity and
/// group, and a bound role cannot go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleBindingView {
    /// The binding itself.
    pub binding: RoleBinding,
    /// Who holds the role; `None` in a rehearsal, which makes no binding by which its caller might see it.
    pub identity: Option<Identity>,
    /// At which group.
    pub group: Group,
    /// Which role.
    pub role: Role,
}
