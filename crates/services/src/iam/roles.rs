//! Roles: the built-in ones that everybody sees, and the custom ones of each group.

mod create;
mod rules;
mod update;

use domain::{Ctx, Result, Uidp, iam::Role};

pub use store::iam::roles::RoleFilter;

use crate::{
    grants::require,
    nouns::{Noun, Nouns},
};

/// The use cases of roles. A role that is given to anybody is not deleted, and a built-in one never changes.
pub type Roles = Nouns<Role>;

impl Noun for Role {
    const ROOTS_ARE_PUBLIC: bool = true;

    type Answer = Self;
    type Filter = RoleFilter;
    type Needs = ();

    /// A built-in one is for any authenticated caller, a custom one for who holds `roles.list` there.
    fn may_look(ctx: &Ctx, uid: &Uidp) -> Result<()> {
        if uid.is_root() { Ok(()) } else { require(ctx, "roles.list", uid) }
    }

    fn admit(&self) -> Result<()> {
        rules::check_custom(self)
    }
}
