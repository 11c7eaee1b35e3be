//! What the caller's own token allows.

use access::built_in;
use domain::{
    CapabilitySet, Ctx, Result, Uidp,
    iam::{Group, Identity, Role},
};
use store::{Reader, Store, rows};

use crate::iam::role_bindings::bindings_of;

/// The use case behind the question who a token stands for.
#[derive(Clone, Debug)]
pub struct WhoAmI {
    store: Store,
}

/// The caller, as far as the store knows it. What the token says is in the call's context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The identity that the token stands for; absent for operators.
    pub identity: Option<Identity>,
    /// What the token allows, one entry for each group that a binding or a narrowing names, in the order of their
    /// identifiers. What is allowed above all groups, to operators, is not shown.
    pub access: Vec<Access>,
}

/// What a token allows at a group and below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The group.
    pub group: Group,
    /// The role that has exactly these capabilities: one that the caller is bound to there or above, or a built-in one.
    pub role: Option<Role>,
    /// The capabilities.
    pub capabilities: CapabilitySet,
}

impl WhoAmI {
    /// The use case over `store`.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// The caller and what its token allows.
    ///
    /// # Errors
    /// Unauthenticated without a caller.
    pub async fn get(&self, ctx: &Ctx) -> Result<Account> {
        let caller = ctx.caller()?;
        let mut reader = self.store.reader().await?;
        let bound = bound_roles(&mut reader, &caller.identity).await?;
        let mut access = Vec::new();
        for (at, capabilities) in ctx.grants.places() {
            if let Some(group) = rows::get::<Group>(&mut reader, at).await? {
                let role = role_of(&mut reader, &bound, at, &capabilities).await?;
                access.push(Access { group, role, capabilities });
            }
        }
        Ok(Account { identity: rows::get::<Identity>(&mut reader, &caller.identity).await?, access })
    }
}

/// The roles that the identity is bound to, each with the group where it is.
async fn bound_roles(reader: &mut Reader, identity: &Uidp) -> Result<Vec<(Uidp, Role)>> {
    let views = bindings_of(reader, identity).await?;
    Ok(views.into_iter().map(|view| (view.group.uid, view.role)).collect())
}

/// The role that stands for exactly `capabilities` at `at`.
async fn role_of(reader: &mut Reader, bound: &[(Uidp, Role)], at: &Uidp, capabilities: &CapabilitySet) -> Result<Option<Role>> {
    let matching = bound.iter().find(|(group, role)| group.contains(at) && role.spec.capabilities == *capabilities);
    if let Some((_, role)) = matching {
        return Ok(Some(role.clone()));
    }
    match built_in::ROLES.iter().find(|role| role.capabilities() == *capabilities) {
        Some(role) => rows::get::<Role>(reader, &role.uid()).await,
        None => Ok(None),
    }
}
