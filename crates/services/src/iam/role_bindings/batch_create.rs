//! Creating several role bindings at once.

use domain::{
    Ctx, Error, Result, Uidp, Violations,
    iam::{RoleBindingSpec, RoleBindingView},
};
use store::iam::role_bindings;

use super::{RoleBindings, create::insert, rules, shown};
use crate::iam::placed::home;

/// Most bindings of one batch.
pub const BATCH_MAX: usize = 25;

/// One entry of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchItem {
    /// The entry's own parent; absent, or that of the batch.
    pub parent: Option<Uidp>,
    /// Who gets the role.
    pub identity: Uidp,
    /// The entry's own role; absent, that of the batch.
    pub role: Option<Uidp>,
}

impl RoleBindings {
    /// Binds up to 25 roles at the group `parent`, all or none, and gives them back in the same order. Entries without
    /// a role get `role`.
    ///
    /// # Errors
    /// As for one binding, the fields naming the entry, such as `items[3].role`; invalid argument
    /// for an empty or too long batch and for entries that contradict it.
    pub async fn batch_create(
        &self,
        ctx: &Ctx,
        parent: &Uidp,
        role: Option<&Uidp>,
        items: Vec<BatchItem>,
    ) -> Result<Vec<RoleBindingView>> {
        let specs = specs(parent, role, items)?;
        let (parent, call) = (parent.clone(), ctx.clone());
        let named: Vec<_> = specs.iter().map(|spec| spec.identity.clone()).collect();
        let work = self.store.write(ctx, move |tx| {
            Box::pin(async move {
                let group = home(tx, &parent).await?;
                let mut uids = Vec::with_capacity(specs.len());
                for (index, spec) in specs.into_iter().enumerate() {
                    rules::check(&call, tx, &parent, &spec, &field(index, "")).await?;
                    uids.push(insert(&call, tx, &group, spec).await?.uid);
                }
                let views = role_bindings::views(tx, &uids).await?;
                // One event for the whole batch; its subject is the group.
                tx.event(parent.as_str(), parent.as_str(), &views).await?;
                Ok(views.into_iter().map(|view| shown(&call, view)).collect())
            })
        });
        self.needs.watch(ctx, &named, work).await
    }
}

/// What each entry asks for once it has what it leaves to the batch.
fn specs(parent: &Uidp, batch_role: Option<&Uidp>, items: Vec<BatchItem>) -> Result<Vec<RoleBindingSpec>> {
    let mut violations = Violations::default();
    if items.is_empty() || items.len() > BATCH_MAX {
        return Err(Error::field("items", format!("items must have 1 to {BATCH_MAX} entries")));
    }
    let mut specs = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        if item.parent.is_some_and(|own| own != *parent) {
            violations.add(field(index, "parent"), "parent must be empty or that of the batch");
        }
        let role_field = || field(index, "role");
        match (item.role, batch_role) {
            (Some(own), Some(shared)) if own != *shared => {
                violations.add(role_field(), "role must be empty or that of the batch");
            }
            (Some(role), _) => specs.push(RoleBindingSpec { identity: item.identity, role }),
            (None, Some(shared)) => specs.push(RoleBindingSpec { identity: item.identity, role: shared.clone() }),
            (None, None) => violations.add(role_field(), "role is required, here or for the batch"),
        }
    }
    violations.check()?;
    Ok(specs)
}

fn field(index: usize, name: &str) -> String {
    format!("items[{index}].{name}")
}
