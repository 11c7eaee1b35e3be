//! Repositories.

use database::{Fault, Row};
use domain::{
    Error, Kind, Noun, Result, Rule, Uidp,
    error::Detail,
    iam::Group,
    registry::{Repo, RepoSpec},
};

use crate::{
    Reader, Writer,
    iam::groups,
    list::{self, Filter, ListQuery, Listed, Term},
    table::{self, Column, Columns, Declared, Entity, Stamp, Values, WithParent, text},
};

/// Which repositories to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepoFilter {
    /// Only those with this name.
    pub name: Option<String>,
}

impl Filter for RepoFilter {
    fn terms(&self) -> Vec<Term> {
        self.name.iter().map(|name| Term::few("name", name)).collect()
    }
}

/// What is declared of repositories.
pub(crate) static DECLARED: Declared =
    Declared::new::<Repo>(Noun::Repo, "repos", COLUMNS, &groups::DECLARED, WithParent::Keeps("child repos"));

const COLUMNS: &[Column] = &[
    text("name"),
    text("description"),
    text("catalog_tier"),
    text("bundles"),
    text("aliases"),
    text("active_tags"),
    text("sync_config"),
    text(OVERLAY),
];
const OVERLAY: &str = "custom_overlay";

impl Entity for Repo {
    fn declared() -> &'static Declared {
        &DECLARED
    }

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: RepoSpec {
                name: columns.name()?,
                description: columns.description()?,
                catalog_tier: columns.word()?,
                bundles: columns.json()?,
                aliases: columns.json()?,
                active_tags: columns.json()?,
                sync_config: columns.opt_json()?,
                custom_overlay: columns.opt_json()?,
            },
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        let RepoSpec { name, description, catalog_tier, bundles, aliases, active_tags, sync_config, custom_overlay } = &self.spec;
        values.add(name.as_str()).add(description.as_str()).word(catalog_tier)?;
        values.json(bundles)?.json(aliases)?.json(active_tags)?;
        values.opt_json(sync_config.as_ref())?.opt_json(custom_overlay.as_ref())?;
        Ok(())
    }

    fn uid(&self) -> &Uidp {
        &self.uid
    }

    fn name(&self) -> &str {
        self.spec.name.as_str()
    }

    fn stamp(&self) -> Stamp {
        Stamp { created_at: self.created_at, updated_at: self.updated_at, revision: self.revision }
    }

    fn stamped(self, Stamp { created_at, updated_at, revision }: Stamp) -> Self {
        Self { created_at, updated_at, revision, ..self }
    }

    fn refused(&self, fault: Fault) -> Error {
        match fault {
            Fault::Unique(constraint) if constraint == "repos_parent_name_key" => {
                let RepoSpec { name, .. } = &self.spec;
                let message = format!("a repo named {name} exists in group {}; choose another name", self.uid.parent_text());
                Error::new(Kind::AlreadyExists, Rule::NameTaken, message)
                    .with(Detail::Resource { noun: Noun::Repo, uid: name.to_string() })
                    .because(constraint)
            }
            other => other.into(),
        }
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
    let columns = DECLARED.statements().columns.replace(OVERLAY, "CAST(NULL AS TEXT)");
    reader.query_one(&format!("SELECT {columns} FROM repos WHERE uid = $1"), &[uid.into()], read).await
}

/// The repository of that name in the group, if there is one.
///
/// # Errors
/// Internal when the storage fails.
pub async fn find(reader: &mut Reader, parent: &Uidp, name: &str) -> Result<Option<Repo>> {
    let sql = format!("SELECT {} FROM repos WHERE parent = $1 AND name = $2", DECLARED.statements().columns);
    reader.query_one(&sql, &[parent.into(), name.into()], read).await
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
    table::insert(tx, repo.clone()).await
}

/// Adds a repository to a group that the write has read; answers it as stored.
///
/// # Errors
/// Already exists when the group has one of that name; internal when the storage
/// fails.
pub async fn insert_in(tx: &mut Writer, group: &Group, repo: &Repo) -> Result<Repo> {
    table::insert_in(tx, &group.uid, repo.clone()).await
}

/// Changes a repository as the write has read it to another value; answers it as stored.
///
/// # Errors
/// Already exists when the group has another of that name; internal when the storage fails.
pub async fn update(tx: &mut Writer, from: &Repo, to: &Repo) -> Result<Repo> {
    table::update(tx, from, to.clone()).await
}

/// Removes a repository. Answers whether it existed.
///
/// # Errors
/// Internal when the storage fails.
pub async fn delete(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
    Ok(table::delete::<Repo>(tx, uid).await?.is_some())
}

fn read(row: &Row<'_>) -> Result<Repo> {
    Repo::read(&mut Columns::of(row, 0))
}
