//! Creating group invites.

use std::time::Duration;

use domain::{
    Ctx, Noun, Op, Result, Secret, Timestamp, Uidp,
    iam::{Group, GroupInvite, GroupInviteSpec, GroupInviteView, InviteCheck},
};
use store::rows;

use super::{GroupInvites, rules};
use crate::{grants::require, iam::placed::child_of, nouns};

/// An invite that was made, with its code, which nobody can be shown again.
#[derive(Debug)]
pub struct Created {
    /// The invite.
    pub view: GroupInviteView,
    /// Its code; `None` where the call only tries: there is nothing that a code would be for.
    pub code: Option<Secret<String>>,
}

impl GroupInvites {
    /// Offers a role at the group `parent`, for so long. Every call makes an invite of its own.
    ///
    /// # Errors
    /// Invalid argument for a time that is not between zero and a year, for what is no email address, and for a role that does not
    /// exist or cannot be bound there; not found when there is no such group; permission denied when the role has a capability that the
    /// caller does not hold there; failed precondition when the group has as many invites as it may have.
    pub async fn create(&self, ctx: &Ctx, parent: &Uidp, spec: GroupInviteSpec, ttl: Duration) -> Result<Created> {
        let ttl = rules::check(&spec, ttl)?;
        let (code, check) = InviteCheck::generate(&*ctx.entropy)?;
        let (parent, call) = (parent.clone(), ctx.clone());
        let view = self
            .store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let group: Group = nouns::get(tx, &parent).await?;
                    let role = rules::check_role(&call, tx, &parent, &spec).await?;
                    nouns::check_room::<GroupInvite>(tx, &parent).await?;
                    let invite = GroupInvite {
                        uid: child_of(&call, &parent)?,
                        spec,
                        expires_at: Timestamp(call.now.0.saturating_add(ttl)),
                        check,
                        created_at: call.now,
                        updated_at: call.now,
                        revision: tx.revision(),
                    };
                    let invite = rows::insert_in(tx, &group, &invite).await?;
                    tx.announce(Noun::GroupInvite, &invite.uid, Op::Created, &invite).await?;
                    Ok(GroupInviteView { invite, role: Some(role) })
                })
            })
            .await?;
        Ok(Created { view, code: (!ctx.validate_only).then_some(code) })
    }

    /// [`GroupInvites::create`], for methods whose annotation does not say where capabilities are needed.
    ///
    /// # Errors
    /// Permission denied without the capabilities to make invites and role bindings there; otherwise as [`GroupInvites::create`].
    pub async fn create_checked(&self, ctx: &Ctx, parent: &Uidp, spec: GroupInviteSpec, ttl: Duration) -> Result<Created> {
        require(ctx, "group_invites.create", parent)?;
        require(ctx, "role_bindings.create", parent)?;
        self.create(ctx, parent, spec, ttl).await
    }
}
