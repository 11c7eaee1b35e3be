//! What a server does for itself: the built-in roles at every start, and the first organization.

mod seed;

use std::sync::Arc;

use access::built_in;
use domain::{
    Ctx, Description, Error, ListRequest, Name, Noun, Op, Result, Revision, Scopes, Uidp, UidpFilter,
    iam::{Group, Role, RoleSpec, identity::user_uid, role::built_in_uid},
};
use store::{
    ListQuery, Store,
    iam::{groups::GroupFilter, roles},
    rows,
};

use self::seed::user;
pub use self::seed::{Seed, Seeded};
use crate::iam::{groups::bind_owner, role_bindings::bindings_of};

/// The server's own use cases. They ask for no capability: only the program calls them.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    store: Store,
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
            let known = rows::get::<Role>(&mut reader, &uid).await?;
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
        let request = ListRequest { page_size: 1, ..ListRequest::first(UidpFilter { in_root: true, ..UidpFilter::default() }) };
        let query = ListQuery::new(Arc::new(Scopes::All), &request, None, GroupFilter::default());
        Ok(rows::list(&mut reader, &query).await?.total == 0)
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
                    let known = rows::get::<Group>(tx, &organization).await?;
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
        Ok(oldest.and_then(|view| Some(Seeded { organization: view.group, owner: view.identity?, binding: view.binding })))
    }
}

fn spec_of(role: &built_in::BuiltInRole) -> RoleSpec {
    RoleSpec {
        name: Name::trusted(role.name),
        description: Description::trusted(role.description),
        capabilities: role.capabilities(),
    }
}
