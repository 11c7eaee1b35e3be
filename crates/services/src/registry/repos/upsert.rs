//! Making repositories what they should be, whether they are there or not.

use std::sync::Arc;

use domain::{
    Ctx, Patch, Result, Rule, Uidp,
    registry::{CatalogTier, Repo, RepoSpec, SyncConfig},
};
use store::registry::repos;

use super::{Repos, update::RepoUpdate};
use crate::update;

/// How often it is tried while others make and delete the repository.
const TRIES: usize = 3;

impl Repos {
    /// Makes a repository of the group `parent` what `spec` says: a new one, or the one of this name. The same values again change
    /// nothing.
    ///
    /// # Errors
    /// As for creating it; permission denied when there is one that would change, and the caller does not hold `repo.update`; aborted
    /// when `If-Match` names another version of that.
    pub async fn upsert(&self, ctx: &Ctx, parent: &Uidp, spec: RepoSpec) -> Result<Repo> {
        for _ in 0..TRIES {
            let mut reader = self.store.reader().await?;
            let known = repos::find(&mut reader, parent, spec.name.as_str()).await?;
            drop(reader);
            let (outcome, lost) = match known {
                Some(known) => {
                    // Where it is needed is said of the group, which the caller has named.
                    let noun = RepoUpdate { place: Some(parent.clone()) };
                    let patch = replacement(spec.clone());
                    (update::run(&noun, &self.store, &self.turns, ctx, &known.uid, &patch).await, Rule::NoSuchResource)
                }
                None => (self.create(ctx, parent, spec.clone()).await, Rule::NameTaken),
            };
            match outcome {
                Err(error) if error.rule() == lost => {}
                outcome => return outcome,
            }
        }
        self.create(ctx, parent, spec).await
    }
}

/// The change that makes a repository what `wish` says. What it inherits and what the server sets of its synchronization need not be
/// said.
#[must_use]
pub fn replacement(wish: RepoSpec) -> Patch<RepoSpec> {
    Arc::new(move |current| {
        let mut wish = wish.clone();
        let Some(sync) = wish.sync_config.take() else { return Ok(wish) };
        wish.sync_config = Some(match &current.sync_config {
            Some(known) => {
                let SyncConfig { source, google, amazon, azure, .. } = sync;
                SyncConfig { source, google, amazon, azure, ..known.clone() }
            }
            None => sync,
        });
        if wish.catalog_tier == CatalogTier::Unspecified {
            wish.catalog_tier = current.catalog_tier;
        }
        let said = |list: &mut Vec<String>, known: &Vec<String>| {
            if list.is_empty() {
                list.clone_from(known);
            }
        };
        said(&mut wish.bundles, &current.bundles);
        said(&mut wish.aliases, &current.aliases);
        said(&mut wish.active_tags, &current.active_tags);
        if wish.readme.as_str().is_empty() {
            wish.readme.clone_from(&current.readme);
        }
        Ok(wish)
    })
}
