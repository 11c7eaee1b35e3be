//! Registrations: people become users by themselves, and join groups by the codes of invites.

use std::sync::Arc;

use domain::{
    Actor, Caller, Ctx, Error, Narrowing, Result, Rule, Uidp, Upstream,
    iam::{
        GroupInvite, Identity, InviteCheck, Role, RoleBindingSpec,
        registration::{LoginProvider, Registrant, Session},
    },
};
use store::{
    Store, Writer,
    iam::{group_invites, identity_providers, role_bindings},
    rows,
};

use super::{
    identities::user::{self, NewUser},
    role_bindings::insert_binding,
};
use crate::{iam::placed::home, nouns::not_found, texts, update::contended};

/// The use cases of people who have no rights here yet.
#[derive(Clone, Debug)]
pub struct Registrations {
    store: Store,
}

impl Registrations {
    /// The use cases over `store`.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// Makes the user that `who` is, unless there is one, and with the code of an invite binds its role to that user, unless the user has
    /// it there: all of it or nothing. An invite for a single use goes with that. `identity` may say who the user is.
    ///
    /// # Errors
    /// Invalid argument for what is no code; permission denied for another identity, and for an invite that has expired or is meant for
    /// another email address; not found for an invite that does not exist; failed precondition when its role is gone; aborted when the
    /// user changes meanwhile.
    pub async fn register(&self, ctx: &Ctx, who: Registrant, code: &str, identity: Option<&Uidp>) -> Result<Session> {
        let uid = who.uid();
        if identity.is_some_and(|named| *named != uid) {
            let message = "identity_id must be your own user identity; leave it empty";
            return Err(Error::denied(Rule::OwnAccountOnly, message));
        }
        let wish = if code.is_empty() { None } else { Some(read(code)?) };
        let mut violations = domain::Violations::default();
        texts::required("sub", &who.subject, texts::LONG, &mut violations);
        violations.check()?;
        if wish.is_none() && who.known.is_some() {
            return Ok(Session { identity: uid, group: None });
        }
        // The audit log and the event tell who has done it.
        let call = Ctx { actor: Actor::Caller(Arc::new(caller(&who, &uid))), ..ctx.clone() };
        let acting = call.clone();
        self.store
            .write(&acting, move |tx| {
                Box::pin(async move {
                    let (user, is_new) = user_of(&call, tx, &who).await?;
                    let joined = match &wish {
                        Some(check) => Some(join(&call, tx, &who, &user, check).await?),
                        None => None,
                    };
                    let session = Session { identity: user.uid, group: joined.as_ref().map(|joined| joined.group.clone()) };
                    if is_new || joined.is_some_and(|joined| joined.is_change) {
                        let group = session.group.as_ref().map_or(Uidp::ROOT, Uidp::as_str);
                        tx.event("", group, &session).await?;
                    }
                    Ok(session)
                })
            })
            .await
    }
}

/// What the code of an invite is checked with.
fn read(code: &str) -> Result<InviteCheck> {
    InviteCheck::of(code).ok_or_else(|| Error::field("code", "code is not the code of an invite"))
}

/// Who registers, as one who calls.
fn caller(who: &Registrant, uid: &Uidp) -> Caller {
    Caller {
        identity: uid.clone(),
        operator: false,
        issuer: who.issuer.clone(),
        audience: vec![who.audience.clone()],
        issued_at: who.issued_at,
        expires_at: who.expires_at,
        token_id: String::new(),
        upstream: Some(Upstream::new(who.issuer.clone(), who.subject.clone(), who.audience.clone())),
        email: None,
        narrowing: Narrowing::default(),
    }
}

/// The user, made if need be, and whether that was. One that exists is whom the token was found to be of, or proves the same.
async fn user_of(ctx: &Ctx, tx: &mut Writer, who: &Registrant) -> Result<(Identity, bool)> {
    let uid = who.uid();
    let Some(found) = rows::get::<Identity>(tx, &uid).await? else {
        return Ok((rows::insert(tx, &new_user(ctx, tx, who)?).await?, true));
    };
    let is_same = match who.known {
        Some(revision) => found.relationship_revision == revision,
        None => found.spec.relationship == who.relationship(),
    };
    if is_same { Ok((found, false)) } else { Err(contended::<Identity>(&uid)) }
}

/// The user that `who` becomes. What an organization's provider says of an address is nothing that others should believe.
fn new_user(ctx: &Ctx, tx: &Writer, who: &Registrant) -> Result<Identity> {
    let is_believed = who.provider == LoginProvider::Configured;
    let email = |wanted: bool| {
        let email = who.email.as_ref().filter(|email| (email.is_verified && is_believed) == wanted);
        email.map(|email| email.address.clone())
    };
    let text = who.email.as_ref().map_or(&who.subject, |email| &email.address);
    let (name, relationship) = (user::name_of(text), who.relationship());
    NewUser { uid: who.uid(), name, relationship, email: email(true), email_unverified: email(false) }
        .identity(ctx, tx.revision())
}

/// A group that somebody has joined.
struct Joined {
    group: Uidp,
    /// Whether the user has come to have the role there, or the invite was used up.
    is_change: bool,
}

/// Binds the role of an invite to the user.
async fn join(ctx: &Ctx, tx: &mut Writer, who: &Registrant, user: &Identity, check: &InviteCheck) -> Result<Joined> {
    let invite = group_invites::by_check(tx, check).await?;
    let invite = invite.ok_or_else(|| {
        Error::new(domain::Kind::NotFound, Rule::NoSuchResource, "the invite does not exist any more; ask for another one")
    })?;
    if invite.expires_at <= ctx.now {
        return Err(refused("has expired; ask for another one"));
    }
    let group = home(tx, &invite.uid.parent().ok_or_else(|| not_found::<GroupInvite>(&invite.uid))?).await?;
    if !invite.spec.email.is_empty() && !is_addressee(tx, who, &invite).await? {
        return Err(refused("is meant for another email address, which your login provider has to vouch for"));
    }
    let spec = RoleBindingSpec { identity: user.uid.clone(), role: invite.spec.role.clone() };
    let is_bound = role_bindings::exists(tx, &group.uid, &spec).await?;
    if !is_bound {
        if rows::get::<Role>(tx, &spec.role).await?.is_none() {
            let description = "the role that the invite offers does not exist any more; ask for another invite";
            return Err(Error::precondition(Rule::NoSuchResource, "NO_SUCH_RESOURCE", invite.uid.as_str(), description));
        }
        insert_binding(ctx, tx, &group, spec).await?;
    }
    // Who had the role before has used the code as well.
    if invite.spec.single_use {
        rows::delete::<GroupInvite>(tx, &invite.uid).await?;
    }
    Ok(Joined { group: group.uid, is_change: !is_bound || invite.spec.single_use })
}

fn refused(why: &str) -> Error {
    Error::denied(Rule::InviteRefused, format!("the invite {why}"))
}

/// Whether the person has the address that the invite is for, by a provider that the inviting organization believes.
async fn is_addressee(tx: &mut Writer, who: &Registrant, invite: &GroupInvite) -> Result<bool> {
    let is_address = |email: &str| email.eq_ignore_ascii_case(&invite.spec.email);
    if !who.email.as_ref().is_some_and(|email| email.is_verified && is_address(&email.address)) {
        return Ok(false);
    }
    match who.provider {
        LoginProvider::Configured => Ok(true),
        LoginProvider::Organization => identity_providers::is_client_of(tx, &invite.uid.root(), &who.issuer, &who.audience).await,
    }
}
