//! Roles: the built-in ones that everybody sees, and the custom ones of each group.

mod create;
mod rules;
mod update;

use domain::{Ctx, Result, Uidp, iam::Role};
use store::{ListQuery, Listed, Reader, Writer, iam::roles};

pub use store::iam::roles::RoleFilter;

use crate::{
    grants::require,
    nouns::{Noun, Nouns},
};

/// The use cases of roles. A role that is given to anybody is not deleted, and a built-in one never changes.
pub type Roles = Nouns<Role>;

impl Noun for Role {
    const NOUN: domain::Noun = domain::Noun::Role;
    const ROOTS_ARE_PUBLIC: bool = true;

    type Answer = Self;
    type Filter = RoleFilter;
    type Needs = ();

    async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        roles::get(reader, uid).await
    }

    async fn show(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        roles::get(reader, uid).await
    }

    async fn list(reader: &mut Reader, query: &ListQuery<RoleFilter>) -> Result<Listed<Self>> {
        roles::list(reader, query).await
    }

    async fn remove(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
        roles::delete(tx, uid).await
    }

    /// A built-in one is for any authenticated caller, a custom one for who holds `roles.list` there.
    fn may_look(ctx: &Ctx, uid: &Uidp) -> Result<()> {
        if uid.is_root() { Ok(()) } else { require(ctx, "roles.list", uid) }
    }

    fn admit(&self) -> Result<()> {
        rules::check_custom(self)
    }
}
