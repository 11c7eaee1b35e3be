//! External group role mappings: which role the members of an outside group get when they log in.

use serde::{Deserialize, Serialize};

use crate::{revision::Revision, time::Timestamp, uidp::Uidp};

/// A role for the members of an outside group, for as long as a session lives that began through the identity provider. They get it at
/// the provider's organization. It never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalGroupRoleMapping {
    /// Its identifier; the parent is the identity provider.
    pub uid: Uidp,
    /// What callers may set.
    pub spec: ExternalGroupRoleMappingSpec,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was made: it never changes.
    pub updated_at: Timestamp,
    /// The commit that wrote it.
    pub revision: Revision,
}

/// What callers may set of an external group role mapping. An identity provider has no two that are the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalGroupRoleMappingSpec {
    /// The outside group, as the provider writes it in its claim of groups.
    pub external_group_id: String,
    /// The role that its members get.
    pub role: Uidp,
}
