//! Repositories.

use domain::{
    Error, Kind, Noun, Result, Rule, Timestamp, Uidp,
    error::Detail,
    registry::{Repo, RepoSpec},
};

use crate::{
    Reader, Writer,
    engine::{Fault, Row, json, word},
    iam::groups,
    list::{self, Entity, Filter, ListQuery, Listed, Term},
    table,
};

/// Which repositories to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepoFilter {
    /// Only those with this name.
    pub name: Option<String>,
}

impl Filter for RepoFilter {
    fn terms(&self) -> Vec<Term> {
        self.name.iter().map(|name| Term::indexed("name", name)).collect()
    }
}

impl Entity for Repo {
    const NOUN: Noun = Noun::Repo;
    const TABLE: &'static str = "repos";
    const COLUMNS: &'static str = "uid, name, description, catalog_tier, bundles, aliases, active_tags, sync_config, \
                                   custom_overlay, created_at, updated_at, revision";

    fn read(row: &Row<'_>) -> Result<Self> {
        Ok(Self {
            uid: row.uidp(0)?,
            spec: RepoSpec {
                name: row.name(1)?,
                description: row.description(2)?,
                catalog_tier: row.word(3)?,
                bundles: row.json(4)?,
                aliases: row.json(5)?,
                active_tags: row.json(6)?,
                sync_config: row.opt_json(7)?,
                custom_overlay: row.opt_json(8)?,
            },
            created_at: row.time(9)?,
            updated_at: row.time(10)?,
            revision: row.revision(11)?,
        })
    }

    fn uid(&self) -> &Uidp {
        &self.uid
    }

    fn name(&self) -> &str {
        self.spec.name.as_str()
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }
}

/// The repository, if it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get(reader: &mut Reader, uid: &Uidp) -> Result<Option<Repo>> {
    table::get(reader, uid).await
}

/// The repository without its overlay, by far its largest part: for what others inherit from it.
///
/// # Errors
/// Internal when the storage fails.
pub async fn without_overlay(reader: &mut Reader, uid: &Uidp) -> Result<Option<Repo>> {
    let columns = Repo::COLUMNS.replace("custom_overlay", "CAST(NULL AS TEXT)");
    reader.query_one(&format!("SELECT {columns} FROM repos WHERE uid = $1"), &[uid.into()], Repo::read).await
}

/// The repository of that name in the group, if there is one.
///
/// # Errors
/// Internal when the storage fails.
pub async fn find(reader: &mut Reader, parent: &Uidp, name: &str) -> Result<Option<Repo>> {
    let sql = format!("SELECT {} FROM repos WHERE parent = $1 AND name = $2", Repo::COLUMNS);
    reader.query_one(&sql, &[parent.into(), name.into()], Repo::read).await
}

/// A page of repositories.
///
/// # Errors
/// Invalid argument when the query asks for what no list offers; internal when the storage fails.
pub async fn list(reader: &mut Reader, query: &ListQuery<RepoFilter>) -> Result<Listed<Repo>> {
    list::page(reader, query).await
}

/// Adds a repository; answers it as stored.
///
/// # Errors
/// Not found when its group does not exist; already exists when the group has one of that name; internal when the storage
/// fails.
pub async fn insert(tx: &mut Writer, repo: &Repo) -> Result<Repo> {
    groups::must_hold(tx, &repo.uid).await?;
    let repo = Repo { revision: tx.revision(), ..repo.clone() };
    let spec = Stored::of(&repo.spec)?;
    tx.execute(
        "INSERT INTO repos (uid, parent, org, name, description, catalog_tier, bundles, aliases, active_tags, sync_config, \
         custom_overlay, created_at, updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        &[
            (&repo.uid).into(),
            repo.uid.parent_text().into(),
            repo.uid.root_text().into(),
            repo.spec.name.as_str().into(),
            repo.spec.description.as_str().into(),
            spec.catalog_tier.into(),
            spec.bundles.into(),
            spec.aliases.into(),
            spec.active_tags.into(),
            spec.sync_config.into(),
            spec.custom_overlay.into(),
            repo.created_at.into(),
            repo.updated_at.into(),
            repo.revision.into(),
        ],
    )
    .await
    .map_err(|fault| name_taken(fault, &repo))?;
    table::came(tx, &repo)?;
    Ok(repo)
}

/// Writes what may change of a repository; answers it as stored, changed now.
///
/// # Errors
/// Not found; already exists when the group has another of that name; internal when the storage fails.
pub async fn update(tx: &mut Writer, repo: &Repo) -> Result<Repo> {
    let stored = get(tx, &repo.uid).await?.ok_or_else(|| Error::not_found(Noun::Repo, repo.uid.as_str()))?;
    let repo = Repo { created_at: stored.created_at, updated_at: tx.now(), revision: tx.revision(), ..repo.clone() };
    let spec = Stored::of(&repo.spec)?;
    tx.execute(
        "UPDATE repos SET name = $2, description = $3, catalog_tier = $4, bundles = $5, aliases = $6, active_tags = $7, \
         sync_config = $8, custom_overlay = $9, updated_at = $10, revision = $11 WHERE uid = $1",
        &[
            (&repo.uid).into(),
            repo.spec.name.as_str().into(),
            repo.spec.description.as_str().into(),
            spec.catalog_tier.into(),
            spec.bundles.into(),
            spec.aliases.into(),
            spec.active_tags.into(),
            spec.sync_config.into(),
            spec.custom_overlay.into(),
            repo.updated_at.into(),
            repo.revision.into(),
        ],
    )
    .await
    .map_err(|fault| name_taken(fault, &repo))?;
    table::changed(tx, &stored, &repo);
    Ok(repo)
}

/// Removes a repository. Answers whether it existed.
///
/// # Errors
/// Internal when the storage fails.
pub async fn delete(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
    Ok(!table::remove::<Repo>(tx, "uid", uid).await?.is_empty())
}

/// The nested shapes of a repository in their stored form.
struct Stored {
    catalog_tier: String,
    bundles: String,
    aliases: String,
    active_tags: String,
    sync_config: Option<String>,
    custom_overlay: Option<String>,
}

impl Stored {
    fn of(spec: &RepoSpec) -> Result<Self> {
        Ok(Self {
            catalog_tier: word(&spec.catalog_tier)?,
            bundles: json(&spec.bundles)?,
            aliases: json(&spec.aliases)?,
            active_tags: json(&spec.active_tags)?,
            sync_config: spec.sync_config.as_ref().map(json).transpose()?,
            custom_overlay: spec.custom_overlay.as_ref().map(json).transpose()?,
        })
    }
}

fn name_taken(fault: Fault, repo: &Repo) -> Error {
    match fault {
        Fault::Unique(constraint) if constraint == "repos_parent_name_key" => Error::new(
            Kind::AlreadyExists,
            Rule::NameTaken,
            format!("a repo named {} exists in group {}; choose another name", repo.spec.name, repo.uid.parent_text()),
        )
        .with(Detail::Resource { noun: Noun::Repo, uid: repo.spec.name.to_string() })
        .because(constraint),
        other => other.into(),
    }
}
