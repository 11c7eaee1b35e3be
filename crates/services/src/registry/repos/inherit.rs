//! What a synced repository shows of its source: tier, bundles, aliases, active tags, the readme and, unless it
//! has its own, the description.
//!
//! The row keeps a copy from when it was last written, which shows once the source is gone; as long as the source
//! exists, its current values show.

use std::collections::HashMap;

use domain::{
    Result, Uidp,
    registry::{Repo, RepoSpec},
};
use store::{Reader, registry::repos};

/// How many sources may follow each other.
pub(super) const CHAIN_MAX: usize = 8;

/// The sources read so far, so that a list reads each of them once. They have no overlay: nobody inherits that.
#[derive(Debug, Default)]
pub(super) struct Sources(HashMap<Uidp, Option<Repo>>);

impl Sources {
    /// The repository as callers see it.
    pub(super) async fn shown(&mut self, reader: &mut Reader, mut repo: Repo) -> Result<Repo> {
        let mut next = repo.spec.sync_config.as_ref().map(|sync| sync.source.clone());
        for _ in 0..CHAIN_MAX {
            let Some(uid) = next.take() else { break };
            let Some(source) = self.get(reader, &uid).await? else { break };
            copy(&source.spec, &mut repo.spec);
            next = source.spec.sync_config.as_ref().map(|sync| sync.source.clone());
        }
        Ok(repo)
    }

    /// The source with this identifier.
    pub(super) async fn get(&mut self, reader: &mut Reader, uid: &Uidp) -> Result<Option<&Repo>> {
        if !self.0.contains_key(uid) {
            let source = repos::without_overlay(reader, uid).await?;
            self.0.insert(uid.clone(), source);
        }
        Ok(self.0.get(uid).and_then(Option::as_ref))
    }
}

/// Copies what is inherited. The first description along the way wins.
pub(super) fn copy(source: &RepoSpec, to: &mut RepoSpec) {
    to.catalog_tier = source.catalog_tier;
    to.bundles.clone_from(&source.bundles);
    to.aliases.clone_from(&source.aliases);
    to.active_tags.clone_from(&source.active_tags);
    to.readme.clone_from(&source.readme);
    if to.description.as_str().is_empty() {
        to.description.clone_from(&source.description);
    }
}
