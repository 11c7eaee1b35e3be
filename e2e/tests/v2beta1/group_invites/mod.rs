//! What is special about group invites. What holds for every noun is proved for them with the others.

mod create;
mod delete;
mod list;
mod role;

use contract::{
    chainguard::platform::iam::v2beta1::{CreateGroupInviteRequest, GroupInvite},
    prost_types::Duration,
};

use super::built_in;

/// An offer of a built-in role for so many seconds.
pub(crate) fn invite(role: &str, seconds: i64) -> GroupInvite {
    GroupInvite { role_uid: built_in(role), ttl: Some(Duration { seconds, nanos: 0 }), ..GroupInvite::default() }
}

/// A request to make it in the group `parent`.
pub(crate) fn new_invite(parent: &str, invite: GroupInvite) -> CreateGroupInviteRequest {
    CreateGroupInviteRequest { parent: parent.into(), group_invite: Some(invite) }
}
