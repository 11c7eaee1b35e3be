//! What a synced repository shows of its source: tier, bundles, aliases, active tags, the readme and, unless it
//! has its own, the description.
//!
//! The row keeps a copy from when it was last written, which shows once the source is gone, or may not be seen any more. As long as it
//! may, its current values show (ADR 24).

use std::collections::HashMap;

use domain::{
    CapabilitySet, Result, Uidp,
    iam::identity::operator_uid,
    registry::{Repo, RepoSpec},
};
use store::{
    Reader,
    iam::{groups, role_bindings},
    registry::repos,
};

use crate::grants::named;

/// How many sources may follow each other.
pub(super) const CHAIN_MAX: usize = 8;

/// The sources read so far, so that a list reads each of them once. They have no overlay: nobody inherits that.
#[derive(Debug, Default)]
pub(super) struct Sources {
    known: HashMap<Uidp, Option<Repo>>,
    /// What identities hold at groups.
    held: HashMap<(Uidp, Uidp), CapabilitySet>,
}

/// A repository that follows another one.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) copy: Uidp,
    pub(super) source: Uidp,
    /// Who has made it follow.
    pub(super) by: Option<Uidp>,
}

impl Link {
    /// What this repository follows, if anything.
    fn of(repo: &Repo) -> Option<Self> {
        let source = repo.spec.sync_config.as_ref()?.source.clone();
        Some(Self { copy: repo.uid.clone(), source, by: repo.synced_by.clone() })
    }
}

impl Sources {
    /// The repository as callers see it.
    pub(super) async fn shown(&mut self, reader: &mut Reader, mut repo: Repo) -> Result<Repo> {
        let mut next = Link::of(&repo);
        for _ in 0..CHAIN_MAX {
            let Some(link) = next.take() else { break };
            let Some(source) = self.visible(reader, &link).await? else { break };
            copy(&source.spec, &mut repo.spec);
            next = Link::of(&source);
        }
        Ok(repo)
    }

    /// What `link` leads to, as callers see it, if the organization of the copy may see it.
    pub(super) async fn shown_by(&mut self, reader: &mut Reader, link: &Link) -> Result<Option<Repo>> {
        match self.visible(reader, link).await? {
            Some(source) => Ok(Some(self.shown(reader, source).await?)),
            None => Ok(None),
        }
    }

    /// The source with this identifier, whoever may see it.
    pub(super) async fn get(&mut self, reader: &mut Reader, uid: &Uidp) -> Result<Option<&Repo>> {
        if !self.known.contains_key(uid) {
            let source = repos::without_overlay(reader, uid).await?;
            self.known.insert(uid.clone(), source);
        }
        Ok(self.known.get(uid).and_then(Option::as_ref))
    }

    /// The source, if the organization of the copy may see it now: it is its own, or public, or whoever has made the copy follow it is still
    /// one of the copy's and may still read it.
    async fn visible(&mut self, reader: &mut Reader, link: &Link) -> Result<Option<Repo>> {
        let Some(source) = self.get(reader, &link.source).await?.cloned() else { return Ok(None) };
        let may_see = source.uid.root_text() == link.copy.root_text()
            || self.may_follow(reader, link).await?
            || source.public
            || groups::public_above(reader, &source.uid).await?.is_some();
        Ok(may_see.then_some(source))
    }

    async fn may_follow(&mut self, reader: &mut Reader, link: &Link) -> Result<bool> {
        let Some(by) = &link.by else { return Ok(false) };
        if *by == operator_uid() {
            return Ok(true);
        }
        let may_read = self.held_at(reader, by, &link.source).await?.has(named("repo.list")?);
        Ok(may_read && !self.held_at(reader, by, &link.copy).await?.is_empty())
    }

    /// What the identity holds where the repository lives.
    async fn held_at(&mut self, reader: &mut Reader, identity: &Uidp, repo: &Uidp) -> Result<CapabilitySet> {
        let Some(group) = repo.parent() else { return Ok(CapabilitySet::default()) };
        let place = (identity.clone(), group);
        if let Some(held) = self.held.get(&place) {
            return Ok(*held);
        }
        let held = role_bindings::held_at(reader, identity, &place.1).await?;
        self.held.insert(place, held);
        Ok(held)
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
