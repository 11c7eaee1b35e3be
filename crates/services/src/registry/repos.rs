//! Repositories: the metadata of what the registry holds.

mod create;
mod inherit;
mod overlay;
mod rules;
mod source;
mod sync;
mod update;

use domain::{Description, Result, Revision, Uidp, Versioned, registry::Repo};
use store::{ListQuery, Listed, Reader, Writer, registry::repos};

pub use store::registry::repos::RepoFilter;

pub(crate) use rules::check_bundles;

use crate::{
    nouns::{Noun, Nouns},
    settings::Settings,
};
use inherit::Sources;

/// The use cases of repositories. When one is deleted, those that follow it show from then on what they had inherited when they were
/// last written.
pub type Repos = Nouns<Shown>;

/// A repository as callers see it, with what it inherits: a patch made from that is void when a source has changed.
#[derive(Debug)]
pub struct Shown {
    repo: Repo,
    /// What its own row has as its description, inherited or not.
    own_description: Description,
}

impl Versioned for Shown {
    fn revision(&self) -> Revision {
        self.repo.revision
    }
}

impl Noun for Shown {
    const NOUN: domain::Noun = domain::Noun::Repo;

    type Answer = Repo;
    type Filter = RepoFilter;
    type Needs = Settings;

    async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        let Some(stored) = repos::get(reader, uid).await? else { return Ok(None) };
        let own_description = stored.spec.description.clone();
        Ok(Some(Self { repo: Sources::default().shown(reader, stored).await?, own_description }))
    }

    async fn show(reader: &mut Reader, uid: &Uidp) -> Result<Option<Repo>> {
        Ok(Self::find(reader, uid).await?.map(|shown| shown.repo))
    }

    async fn list(reader: &mut Reader, query: &ListQuery<RepoFilter>) -> Result<Listed<Repo>> {
        let mut listed = repos::list(reader, query).await?;
        let (mut sources, mut shown) = (Sources::default(), Vec::with_capacity(listed.items.len()));
        for repo in listed.items {
            shown.push(sources.shown(reader, repo).await?);
        }
        listed.items = shown;
        Ok(listed)
    }

    async fn remove(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
        repos::delete(tx, uid).await
    }
}
