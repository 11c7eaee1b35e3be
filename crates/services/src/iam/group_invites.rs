//! Group invites: offers of a role at a group to whoever has the code.

mod create;
mod rules;

use domain::{
    Result, Uidp,
    iam::{GroupInvite, GroupInviteView},
};
use store::{Filter, ListQuery, Listed, Reader, iam::group_invites};

pub use create::Created;
pub use store::iam::group_invites::GroupInviteFilter;

use crate::nouns::{Noun, Nouns, Shows};

/// The use cases of group invites, which show the role that they offer. They never change; the code of one that is deleted stops working,
/// and what it has given to people stays. Expired ones are there until they are deleted.
pub type GroupInvites = Nouns<GroupInvite>;

impl Shows<GroupInvite> for GroupInviteView {
    async fn one(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        group_invites::view(reader, uid).await
    }

    async fn page<F: Filter<Row = GroupInvite>>(reader: &mut Reader, query: &ListQuery<F>) -> Result<Listed<Self>> {
        group_invites::list_views(reader, query).await
    }
}

impl Noun for GroupInvite {
    const MOST: u64 = 500;
    const ORDER: &'static str = "created_at desc";

    type Answer = GroupInviteView;
    type Filter = GroupInviteFilter;
    type Needs = ();
}
