//! Creating groups: organizations for anybody where the installation allows it, folders with the capability.

use access::built_in;
use domain::{
    CapabilitySet, Ctx, Error, Noun, Op, Result, Rule, Uidp,
    iam::{Group, GroupSpec, Identity, OrgStatus, ResourceLimits, RoleBinding, RoleBindingSpec},
};
use store::{Writer, rows};

use super::{Groups, rules};
use crate::{
    grants::{named, require, require_operator},
    iam::placed::{child_of, home},
    settings::Settings,
};

/// The role that the creator of an organization gets.
const OWNER: &str = "owner";

const GROUPS_CREATE: &str = "groups.create";

impl Groups {
    /// Creates a folder below `parent` or, without one, an organization whose creator becomes its owner. Operators get
    /// no binding: they hold everything already.
    ///
    /// # Errors
    /// Permission denied without `groups.create` at the parent (whether or not it exists), for an organization where
    /// only operators may create one or the token is narrowed, and for what only operators may set. Not found when the
    /// parent does not exist. Invalid argument or already exists as the rules of groups say.
    pub async fn create(&self, ctx: &Ctx, parent: Option<&Uidp>, spec: GroupSpec) -> Result<Group> {
        match parent {
            Some(parent) => require(ctx, GROUPS_CREATE, parent)?,
            None => check_organization(ctx, &self.needs)?,
        }
        let (parent, call) = (parent.cloned(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    match parent {
                        Some(parent) => create_folder(&call, tx, &parent, spec).await,
                        None => create_organization(&call, tx, spec).await,
                    }
                })
            })
            .await
    }
}

/// Whether the caller may create an organization at all. A narrowed token may not, unless it kept `groups.create` and
/// all places: its creator would come to hold more than the token was meant for.
pub(super) fn check_organization(ctx: &Ctx, settings: &Settings) -> Result<()> {
    let caller = ctx.caller()?;
    if !settings.self_service_organizations {
        require_operator(ctx, "create an organization")?;
    }
    let narrowing = &caller.narrowing;
    let needed = named(GROUPS_CREATE)?;
    let kept = |kept: &CapabilitySet| kept.has(needed);
    if narrowing.scopes.is_some() || !narrowing.capabilities.as_ref().is_none_or(kept) {
        let message = "the token is narrowed to places or capabilities that leave no right to create an organization";
        return Err(Error::denied(Rule::CapabilityMissing, message));
    }
    Ok(())
}

async fn create_folder(ctx: &Ctx, tx: &mut Writer, parent: &Uidp, spec: GroupSpec) -> Result<Group> {
    let above = home(tx, parent).await?;
    rules::check_folder(ctx, above.spec.kind, &spec)?;
    let spec = GroupSpec { kind: above.spec.kind, ..spec };
    let folder = Group { status: above.status, ..group(ctx, tx, child_of(ctx, parent)?, spec) };
    let group = rows::insert_in(tx, &above, &folder).await?;
    tx.announce(Noun::Group, &group.uid, Op::Created, &group).await?;
    Ok(group)
}

async fn create_organization(ctx: &Ctx, tx: &mut Writer, spec: GroupSpec) -> Result<Group> {
    rules::check_organization(ctx, None, &spec)?;
    let group = insert(ctx, tx, ctx.entropy.root_uidp()?, spec).await?;
    tx.announce(Noun::Group, &group.uid, Op::Created, &group).await?;
    if !ctx.is_operator() {
        let creator = &ctx.caller()?.identity;
        if rows::get::<Identity>(tx, creator).await?.is_none() {
            return Err(Error::unauthenticated(Rule::TokenRevoked, "the identity of this token is gone"));
        }
        bind_owner(ctx, tx, &group.uid, creator).await?;
    }
    Ok(group)
}

/// Makes `owner` the owner of the organization. It may live in another organization: whoever creates one owns it.
pub(crate) async fn bind_owner(ctx: &Ctx, tx: &mut Writer, organization: &Uidp, owner: &Uidp) -> Result<RoleBinding> {
    let role = built_in::find(OWNER).ok_or_else(|| Error::internal("there is no built-in role owner"))?.uid();
    let binding = RoleBinding {
        uid: child_of(ctx, organization)?,
        spec: RoleBindingSpec { identity: owner.clone(), role },
        created_at: ctx.now,
        updated_at: ctx.now,
        revision: tx.revision(),
    };
    rows::insert(tx, &binding).await
}

/// Stores a new group as it is wished for; a folder gets kind and status of its organization.
pub(crate) async fn insert(ctx: &Ctx, tx: &mut Writer, uid: Uidp, spec: GroupSpec) -> Result<Group> {
    rows::insert(tx, &group(ctx, tx, uid, spec)).await
}

/// A new group.
fn group(ctx: &Ctx, tx: &Writer, uid: Uidp, spec: GroupSpec) -> Group {
    Group {
        uid,
        spec,
        status: OrgStatus::Ready,
        resource_limits: ResourceLimits::default(),
        public: false,
        created_at: ctx.now,
        updated_at: ctx.now,
        revision: tx.revision(),
    }
}
