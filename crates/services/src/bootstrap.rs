//! What a server does for itself: the built-in roles at every start, and the first organization.

use std::{collections::BTreeMap, sync::Arc};

use access::built_in;
use domain::{
    Ctx, Description, Error, ListRequest, Name, Noun, Op, Result, Revision, Scopes, Uidp, UidpFilter,
    iam::{
        ClaimMatch, Group, GroupSpec, Identity, IdentitySpec, Matcher, OrgKind, Relationship, Role, RoleBinding, RoleSpec,
        identity::user_uid, role::built_in_uid,
    },
};
use store::{
    ListQuery, Store, Writer,
    iam::{
        groups::{self, GroupFilter},
        identities, roles,
    },
};

use crate::iam::{
    groups::{bind_owner, insert},
    role_bindings::bindings_of,
};

/// The server's own use cases. They ask for no capability: only the program calls them.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    store: Store,
}

/// An organization to begin with, and the user that owns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// The organization's name.
    pub organization: Name,
    /// The user's name.
    pub owner: Name,
    /// The issuer of the user's tokens.
    pub issuer: String,
    /// The user's subject at that issuer.
    pub subject: String,
}

/// What a [`Seed`] became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeded {
    /// The organization.
    pub organization: Group,
    /// The user that owns it.
    pub owner: Identity,
    /// The binding that says so.
    pub binding: RoleBinding,
}

impl Bootstrap {
    /// The use cases over `store`.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// Brings the stored built-in roles to what this version has, and tells how many were new or changed. Nothing is
    /// written when there is nothing to do.
    ///
    /// # Errors
    /// What the store answers.
    pub async fn built_in_roles(&self, ctx: &Ctx) -> Result<usize> {
        let outdated = self.outdated(ctx).await?;
        if outdated.is_empty() {
            return Ok(0);
        }
        let changed = outdated.len();
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    for role in outdated {
                        roles::upsert_built_in(tx, &role).await?;
                    }
                    Ok(changed)
                })
            })
            .await
    }

    /// The built-in roles that are not stored as this version has them.
    async fn outdated(&self, ctx: &Ctx) -> Result<Vec<Role>> {
        let mut reader = self.store.reader().await?;
        let mut outdated = Vec::new();
        for role in built_in::ROLES {
            let (uid, spec) = (role.uid(), spec_of(role));
            let known = roles::get(&mut reader, &uid).await?;
            if known.is_none_or(|known| known.spec != spec) {
                outdated.push(Role { uid, spec, created_at: ctx.now, updated_at: ctx.now, revision: Revision::default() });
            }
        }
        Ok(outdated)
    }

    /// Whether there is no organization yet.
    ///
    /// # Errors
    /// What the store answers.
    pub async fn is_empty(&self) -> Result<bool> {
        let mut reader = self.store.reader().await?;
        let request = ListRequest::parse(UidpFilter { in_root: true, ..UidpFilter::default() }, 1, "", "", 0)?;
        let query = ListQuery::new(Arc::new(Scopes::All), &request, None, GroupFilter::default());
        Ok(groups::list(&mut reader, &query).await?.total == 0)
    }

    /// Makes an organization and its owner, in one transaction. A user that exists already is taken as it is.
    ///
    /// # Errors
    /// What the store answers.
    pub async fn organization(&self, ctx: &Ctx, seed: Seed) -> Result<Seeded> {
        let call = ctx.clone();
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let owner = user(&call, tx, &seed).await?;
                    let spec = GroupSpec {
                        name: seed.organization,
                        description: Description::default(),
                        verified: false,
                        kind: OrgKind::Unspecified,
                    };
                    let organization = insert(&call, tx, call.entropy.root_uidp()?, spec).await?;
                    let uid = organization.uid.as_str();
                    tx.announce(Noun::Group, uid, Op::Created, uid, &organization).await?;
                    let binding = bind_owner(&call, tx, &organization.uid, &owner.uid).await?;
                    Ok(Seeded { organization, owner, binding })
                })
            })
            .await
    }

    /// Makes the seed's user a further owner of an organization that exists, in one transaction.
    ///
    /// # Errors
    /// Not found when there is no such organization; what the store answers.
    pub async fn owner(&self, ctx: &Ctx, organization: Uidp, seed: Seed) -> Result<Seeded> {
        let call = ctx.clone();
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let known = groups::get(tx, &organization).await?;
                    let organization = known.ok_or_else(|| Error::not_found(Noun::Group, organization.as_str()))?;
                    let owner = user(&call, tx, &seed).await?;
                    let binding = bind_owner(&call, tx, &organization.uid, &owner.uid).await?;
                    tx.changed(Noun::RoleBinding, binding.uid.as_str(), Op::Created);
                    Ok(Seeded { organization, owner, binding })
                })
            })
            .await
    }

    /// The oldest organization that the user owns by a binding at it.
    ///
    /// # Errors
    /// What the store answers.
    pub async fn owned_by(&self, issuer: &str, subject: &str) -> Result<Option<Seeded>> {
        let mut reader = self.store.reader().await?;
        let role = built_in_uid("owner");
        let views = bindings_of(&mut reader, &user_uid(issuer, subject)).await?;
        let owning = views.into_iter().filter(|view| view.group.uid.is_root() && view.role.uid == role);
        let oldest = owning.min_by(|a, b| (a.group.created_at, &a.group.uid).cmp(&(b.group.created_at, &b.group.uid)));
        Ok(oldest.map(|view| Seeded { organization: view.group, owner: view.identity, binding: view.binding }))
    }
}

fn spec_of(role: &built_in::BuiltInRole) -> RoleSpec {
    RoleSpec {
        name: Name::trusted(role.name),
        description: Description::trusted(role.description),
        capabilities: role.capabilities(),
    }
}

/// The user of the seed, made if need be.
async fn user(ctx: &Ctx, tx: &mut Writer, seed: &Seed) -> Result<Identity> {
    let uid = user_uid(&seed.issuer, &seed.subject);
    if let Some(known) = identities::get(tx, &uid).await? {
        return Ok(known);
    }
    let identity = Identity {
        uid,
        spec: IdentitySpec {
            name: seed.owner.clone(),
            description: Description::default(),
            company: String::new(),
            relationship: Relationship::ClaimMatch(ClaimMatch {
                issuer: Matcher::Literal(seed.issuer.clone()),
                subject: Matcher::Literal(seed.subject.clone()),
                audience: None,
                claims: BTreeMap::new(),
                claim_patterns: BTreeMap::new(),
            }),
        },
        email: None,
        email_unverified: None,
        last_seen_at: ctx.now,
        created_at: ctx.now,
        updated_at: ctx.now,
        // A user's identifier comes again when the user does: counted from the time, the revision never does, so that no token
        // from before a deletion is good for the new row.
        relationship_revision: ctx.now.0,
        revision: tx.revision(),
    };
    identities::insert(tx, &identity).await
}
