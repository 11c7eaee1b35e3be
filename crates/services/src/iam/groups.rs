//! Groups: organizations and the folders below them.

mod create;
mod limits;
mod lookup;
mod rules;
mod update;

use domain::{Ctx, iam::Group};

pub(crate) use create::{bind_owner, insert};
pub(crate) use lookup::organization_of;

pub use limits::Limited;
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
    type Answer = Self;
    type Filter = GroupFilter;
    type Needs = Settings;
}
