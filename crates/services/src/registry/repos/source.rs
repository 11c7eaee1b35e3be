//! Finding the repository that a sync source names.

use domain::{Ctx, Error, ListRequest, Name, Result, Uidp, UidpFilter, iam::Group, registry::Repo};
use store::{ListQuery, Reader, registry::repos::RepoFilter, rows};

use super::{Repos, sync::UNKNOWN_SOURCE};
use crate::{grants::named, texts};

const FIELD: &str = "sync_config.source";

/// A source that is not written as an identifier.
struct Reference<'a> {
    /// Names of groups from the organization down to the repository's own; empty when only a name was given.
    groups: Vec<&'a str>,
    /// The repository's name.
    name: &'a str,
}

impl Repos {
    /// The repository that `source` names: an identifier, the name of a repository, or a full image reference without a
    /// tag, `host/organization/folders/name`. Only what the caller may read is found. Whether an identifier names
    /// anything is judged when it is used.
    ///
    /// # Errors
    /// Invalid argument when nothing is found, or several are.
    pub async fn resolve_source(&self, ctx: &Ctx, source: &str) -> Result<Uidp> {
        if let Ok(uid) = source.parse() {
            return Ok(uid);
        }
        let reference = self.read_reference(source)?;
        let mut reader = self.store.reader().await?;
        let mut found = None;
        for candidate in candidates(ctx, &mut reader, reference.name).await? {
            if !reference.groups.is_empty() && path(&mut reader, &candidate.uid).await? != reference.groups {
                continue;
            }
            if found.replace(candidate.uid).is_some() {
                return Err(Error::field(FIELD, "source names several repos; use the UIDP of the one you mean"));
            }
        }
        found.ok_or_else(|| Error::field(FIELD, UNKNOWN_SOURCE))
    }

    fn read_reference<'a>(&self, source: &'a str) -> Result<Reference<'a>> {
        if source.is_empty() || source.len() > texts::LONG {
            return Err(Error::field(FIELD, format!("source must have 1 to {} bytes", texts::LONG)));
        }
        let Some((host, path)) = source.split_once('/') else { return Ok(Reference { groups: Vec::new(), name: source }) };
        if host != self.needs.registry_host {
            return Err(Error::field(FIELD, "source must be a UIDP, a repo's name, or a reference into this registry"));
        }
        match path.rsplit_once('/') {
            Some((groups, name)) => Ok(Reference { groups: groups.split('/').collect(), name }),
            None => Err(Error::field(FIELD, "source must name an organization and a repo after the host")),
        }
    }
}

/// The repositories of this name that the caller may read; more than a page of them cannot be told apart anyway.
async fn candidates(ctx: &Ctx, reader: &mut Reader, name: &str) -> Result<Vec<Repo>> {
    let needed = [named("repo.list")?].into_iter().collect();
    let request = ListRequest::first(UidpFilter::default());
    let filter = RepoFilter { name: Some(name.to_owned()), source: None };
    let query = ListQuery::new(ctx.grants.scopes(&needed), &request, None, filter);
    let listed = rows::list(reader, &query).await?;
    if listed.next.is_some() {
        return Err(Error::field(FIELD, "source names too many repos; use the UIDP of the one you mean"));
    }
    Ok(listed.items)
}

/// The names of the groups above a repository, the organization first.
async fn path(reader: &mut Reader, uid: &Uidp) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let mut next = uid.parent();
    while let Some(group) = next {
        let name = rows::get::<Group>(reader, &group).await?.map(|group| group.spec.name);
        names.push(name.as_ref().map(Name::as_str).unwrap_or_default().to_owned());
        next = group.parent();
    }
    names.reverse();
    Ok(names)
}
