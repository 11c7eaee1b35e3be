//! Repositories: the metadata of what the registry holds.

mod create;
mod followers;
mod inherit;
mod overlay;
mod rules;
mod source;
mod sync;
mod update;
mod upsert;

use domain::{Description, Result, Uidp, Version, Versioned, registry::Repo};
use store::{Filter, ListQuery, Listed, Reader, rows};

pub use store::registry::repos::RepoFilter;

pub use upsert::replacement;

pub(crate) use overlay::check_packages;
pub(crate) use rules::check_bundles;

use crate::{
    nouns::{Found, Noun, Nouns, Shows},
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
    fn version(&self) -> Version<'_> {
        self.repo.version()
    }
}

impl Found for Shown {
    type Row = Repo;

    async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        let Some(stored) = rows::get::<Repo>(reader, uid).await? else { return Ok(None) };
        let own_description = stored.spec.description.clone();
        Ok(Some(Self { repo: Sources::default().shown(reader, stored).await?, own_description }))
    }
}

impl Shows<Shown> for Repo {
    async fn one(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        Ok(Shown::find(reader, uid).await?.map(|shown| shown.repo))
    }

    async fn page<F: Filter<Row = Self>>(reader: &mut Reader, query: &ListQuery<F>) -> Result<Listed<Self>> {
        let mut listed = rows::list(reader, query).await?;
        let (mut sources, mut shown) = (Sources::default(), Vec::with_capacity(listed.items.len()));
        for repo in listed.items {
            shown.push(sources.shown(reader, repo).await?);
        }
        listed.items = shown;
        Ok(listed)
    }
}

impl Noun for Shown {
    type Answer = Repo;
    type Filter = RepoFilter;
    type Needs = Settings;
}
