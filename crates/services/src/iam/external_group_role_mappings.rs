//! External group role mappings: which role the members of an outside group get when they log in.

mod batch_delete;
mod create;
mod rules;

use domain::iam::ExternalGroupRoleMapping;

pub use batch_delete::BATCH_MAX;
pub use store::iam::external_group_role_mappings::ExternalGroupRoleMappingFilter;

use crate::nouns::{Noun, Nouns};

/// The use cases of external group role mappings. They never change: who wants another one deletes it and makes that. They count from
/// the next login on.
pub type ExternalGroupRoleMappings = Nouns<ExternalGroupRoleMapping>;

impl Noun for ExternalGroupRoleMapping {
    const MOST: u64 = 1_000; // all of them are looked through at each login

    type Answer = Self;
    type Filter = ExternalGroupRoleMappingFilter;
    type Needs = ();
}
