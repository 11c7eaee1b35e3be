//! Group invites, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::v2beta1::{CreateGroupInviteRequest, GroupInvite, rpc},
};
use domain::{Ctx, Result};
use services::{GroupInvites, iam::group_invites::GroupInviteFilter};

use crate::{
    endpoint::{Endpoint, answer, naming},
    list,
    noun::{deletes, gets, lists},
    uidp,
};

pub(crate) mod convert;

/// The RPCs of group invites.
pub(crate) fn endpoints(invites: &GroupInvites) -> Vec<Endpoint> {
    vec![
        gets(rpc::GetGroupInvite, invites, |request| &request.uid, convert::to_wire),
        lists(
            rpc::ListGroupInvites,
            invites,
            |request, _| GroupInviteFilter { key_id: list::filter(&request.key_id) },
            convert::to_wire,
        ),
        naming(convert::name, rpc::CreateGroupInvite, invites, create),
        deletes(rpc::DeleteGroupInvite, invites),
    ]
}

async fn create(invites: Arc<GroupInvites>, ctx: Arc<Ctx>, request: CreateGroupInviteRequest) -> Result<Reply<GroupInvite>> {
    let parent = uidp::one("parent", &request.parent)?;
    let (spec, ttl) = convert::spec_from_wire(contract::mask::writable(&request.group_invite.unwrap_or_default()))?;
    let made = invites.create(&ctx, &parent, spec, ttl).await?;
    let mut reply = answer(&ctx, &made.view, convert::to_wire);
    reply.message.code = made.code.map(|code| code.expose().clone()).unwrap_or_default();
    Ok(reply)
}
