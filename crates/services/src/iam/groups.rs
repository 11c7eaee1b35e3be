//! Groups: organizations and the folders below them.

mod create;
mod rules;
mod update;

use domain::{Ctx, Result, Uidp, iam::Group};
use store::{ListQuery, Listed, Reader, Writer, iam::groups};

pub(crate) use create::{bind_owner, insert};

pub use store::iam::groups::GroupFilter;

use crate::{
    nouns::{Noun, Nouns},
    settings::Settings,
};

/// The use cases of groups; folders show kind and status of their organization.
pub type Groups = Nouns<Group>;

impl Groups {
    /// Whether the caller may create an organization.
    #[must_use]
    pub fn may_create_organization(&self, ctx: &Ctx) -> bool {
        create::check_organization(ctx, &self.needs).is_ok()
    }
}

impl Noun for Group {
    const NOUN: domain::Noun = domain::Noun::Group;

    type Answer = Self;
    type Filter = GroupFilter;
    type Needs = Settings;

    async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        groups::get(reader, uid).await
    }

    async fn show(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        groups::get(reader, uid).await
    }

    async fn list(reader: &mut Reader, query: &ListQuery<GroupFilter>) -> Result<Listed<Self>> {
        groups::list(reader, query).await
    }

    async fn remove(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
        groups::delete(tx, uid).await
    }
}
