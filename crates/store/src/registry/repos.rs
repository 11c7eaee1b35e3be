//! Repositories.

use database::Row;
use domain::{
    Noun, Result, Uidp,
    registry::{Readme, Repo, RepoSpec, SyncConfig},
};

use crate::{
    Reader,
    iam::groups,
    list::{Filter, Term},
    table::{Column, Columns, Declared, Entity, Values, WithParent, bool, its_fields, text},
};

/// Which repositories to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepoFilter {
    /// Only those with this name.
    pub name: Option<String>,
    /// Only those that follow this one.
    pub source: Option<Uidp>,
}

impl Filter for RepoFilter {
    type Row = Repo;

    fn terms(&self) -> Vec<Term> {
        let source = self.source.iter().map(|source| Term::few("source", source.as_str()));
        self.name.iter().map(|name| Term::few("name", name)).chain(source).collect()
    }
}

/// What is declared of repositories.
pub(crate) static DECLARED: Declared =
    Declared::new::<Repo>("repos", COLUMNS, &groups::DECLARED, WithParent::Keeps("child repos")).with_unique_names();

const COLUMNS: &[Column] = &[
    text("name"),
    text("description"),
    text("catalog_tier"),
    text("bundles"),
    text("aliases"),
    text("active_tags"),
    text("sync_config").of_rights_since(2),
    text(OVERLAY),
    text("readme"),
    text("source").for_conditions(),
    bool("public").of_rights_since(2),
    text("synced_by").of_rights_since(2),
];
const OVERLAY: &str = "custom_overlay";

impl Entity for Repo {
    const NOUN: Noun = Noun::Repo;

    its_fields!();

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
                readme: Readme::trusted(columns.string()?),
            },
            public: columns.bool()?,
            synced_by: columns.opt_uidp()?,
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        let RepoSpec { name, description, catalog_tier, bundles, aliases, active_tags, sync_config, custom_overlay, readme } =
            &self.spec;
        values.add(name.as_str()).add(description.as_str()).word(catalog_tier)?;
        values.json(bundles)?.json(aliases)?.json(active_tags)?;
        values.opt_json(sync_config.as_ref())?.opt_json(custom_overlay.as_ref())?;
        values.add(readme.as_str()).add(sync_config.as_ref().map(|SyncConfig { source, .. }| source));
        values.add(self.public).add(self.synced_by.as_ref());
        Ok(())
    }

    fn name(&self) -> &str {
        self.spec.name.as_str()
    }
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

fn read(row: &Row<'_>) -> Result<Repo> {
    Repo::read(&mut Columns::of(row, 0))
}
