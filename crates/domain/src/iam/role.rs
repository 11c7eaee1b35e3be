//! Roles: named sets of capabilities.

use aws_lc_rs::digest;
use serde::{Deserialize, Serialize};

use crate::{
    capability::CapabilitySet,
    revision::Revision,
    text::{Description, Name},
    time::Timestamp,
    uidp::Uidp,
};

/// A named set of capabilities. A root is built in; others belong to a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    /// Its identifier.
    pub uid: Uidp,
    /// What callers may set, for roles that are not built in.
    pub spec: RoleSpec,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// What callers may set of a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleSpec {
    /// Need not be unique.
    pub name: Name,
    /// Free text, one line.
    pub description: Description,
    /// What its holders may do.
    pub capabilities: CapabilitySet,
}

impl Role {
    /// Whether it comes with the server and never changes by request.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        self.uid.is_root()
    }
}

/// The identifier of the built-in role `name`: the published one for `viewer`, a SHA-1 of the name for the others.
/// SHA-1 only spreads a handful of fixed names here; nothing secret or chosen by callers goes in.
#[must_use]
pub fn built_in_uid(name: &str) -> Uidp {
    if let ("viewer", Ok(published)) = (name, "63921b2c44617e3f2603851537be0123af4a57d7".parse()) {
        return published;
    }
    let digest = digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, format!("provost/role/{name}").as_bytes());
    let mut bytes = [0; 20];
    bytes.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
    Uidp::root_from(bytes)
}
