//! Group invites, v1.

use std::{sync::Arc, time::Duration};

use contract::{
    Reply,
    chainguard::platform::iam::{self as wire, GroupInviteFilter, GroupInviteList, GroupInviteRequest, StoredGroupInvite, rpc},
};
use domain::{
    Ctx, Result, Uidp, Violations,
    iam::{GroupInviteSpec, GroupInviteView},
    list::ParentFilter,
};
use services::{
    GroupInvites,
    iam::group_invites::{self, Created},
};

use super::roles;
use crate::{
    endpoint::{Endpoint, answer, naming},
    list,
    noun::{deletes, lists_whole},
    time, uidp,
};

/// The RPCs of group invites.
pub(crate) fn endpoints(invites: &GroupInvites) -> Vec<Endpoint> {
    vec![
        naming(name, rpc::GroupInvitesCreate, invites, create),
        naming(name, rpc::CreateWithGroup, invites, create_with_group),
        lists_whole(rpc::GroupInvitesList, invites, part, item_to_wire, |items| GroupInviteList { items }),
        deletes(rpc::GroupInvitesDelete, invites),
    ]
}

async fn create(invites: Arc<GroupInvites>, ctx: Arc<Ctx>, request: GroupInviteRequest) -> Result<Reply<wire::GroupInvite>> {
    let (group, spec, ttl) = spec_from_wire(request)?;
    Ok(created(&ctx, invites.create(&ctx, &group, spec, ttl).await?))
}

/// The same; the gate has not asked whether the caller may.
async fn create_with_group(
    invites: Arc<GroupInvites>,
    ctx: Arc<Ctx>,
    request: GroupInviteRequest,
) -> Result<Reply<wire::GroupInvite>> {
    let (group, spec, ttl) = spec_from_wire(request)?;
    Ok(created(&ctx, invites.create_checked(&ctx, &group, spec, ttl).await?))
}

/// An invite that was made, with its code.
fn created(ctx: &Ctx, made: Created) -> Reply<wire::GroupInvite> {
    let mut reply = answer(ctx, &made.view, to_wire);
    reply.message.code = made.code.map(|code| code.expose().clone()).unwrap_or_default();
    reply
}

fn part(request: GroupInviteFilter) -> Result<list::Asked<group_invites::GroupInviteFilter>> {
    let GroupInviteFilter { group, id, key_id } = request;
    let mut violations = Violations::default();
    let group = uidp::optional("group", &group, &mut violations);
    let mut part = list::part(None, &id, violations)?;
    if let Some(part) = &mut part {
        part.children_of = group.map(ParentFilter::At);
    }
    Ok((part, group_invites::GroupInviteFilter { key_id: list::filter(&key_id) }))
}

pub(crate) fn to_wire(view: &GroupInviteView) -> wire::GroupInvite {
    wire::GroupInvite {
        id: view.invite.uid.to_string(),
        expiration: Some(time::to_wire(view.invite.expires_at)),
        key_id: view.invite.check.key_id.clone(),
        role: view.role.as_ref().map(roles::to_wire),
        code: String::new(),
    }
}

/// A group invite for a list.
fn item_to_wire(view: &GroupInviteView) -> StoredGroupInvite {
    let wire::GroupInvite { id, expiration, key_id, role, .. } = to_wire(view);
    let GroupInviteSpec { email, single_use, .. } = view.invite.spec.clone();
    let created_at = Some(time::to_wire(view.invite.created_at));
    StoredGroupInvite { id, expiration, key_id, role, email, created_at, single_use }
}

/// Which invite a request asks for, where, and how long it lasts.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
fn spec_from_wire(request: GroupInviteRequest) -> Result<(Uidp, GroupInviteSpec, Duration)> {
    let GroupInviteRequest { group, ttl, role, email, single_use } = request;
    let group = uidp::one("group", &group)?;
    let mut violations = Violations::default();
    let role = uidp::parse("role", &role, &mut violations);
    let ttl = time::span("ttl", ttl.as_ref(), &mut violations);
    let spec = || Some((group, GroupInviteSpec { role: role?, email, single_use }, ttl?));
    violations.finish(spec())
}

/// What the place of a new invite is called here.
fn name(path: &str) -> Option<String> {
    (path == "parent").then(|| "group".to_owned())
}
