//! `provost images repos`

use clap::{Args, Subcommand};
use client::{Client, Options};
use contract::{
    chainguard::platform::registry::v2beta1::{
        CatalogTier, CreateRepoRequest, DeleteRepoRequest, GetRepoReadmeRequest, GetRepoRequest, ListReposRequest, Repo,
        RepoReadme, SyncConfig, UpdateRepoReadmeRequest, UpdateRepoRequest,
        rpc::{CreateRepo, DeleteRepo, GetRepo, GetRepoReadme, ListRepos, UpdateRepo, UpdateRepoReadme},
    },
    prost_types::FieldMask,
};
use serde_json::json;

use super::super::iam::{Naming, Within, something_to_change};
use crate::{
    deleting,
    enums::named,
    exit::{Exit, Failure},
    global::Global,
    input,
    listing::{Paging, Printed, by_name},
    output::{self, Format},
    paths::Paths,
    plain,
    resolve::{self, Kind},
    session, tree,
    views::RepoRow,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Repos {
    /// List the repos that you can see
    #[command(visible_alias = "ls")]
    List(List),
    /// Show a repo, except its readme
    Describe {
        /// Its name, path or UID
        #[arg(required = true)]
        repo: Option<String>,
    },
    /// Create a repo
    Create(Create),
    /// Change a repo
    Update(Update),
    /// Print the readme of a repo, or replace it
    Readme {
        /// Its name, path or UID
        #[arg(required = true)]
        repo: Option<String>,
        /// The file with the new readme, which is Markdown, or - for standard input
        #[arg(long, value_name = "FILE")]
        file: Option<String>,
    },
    /// Delete a repo
    #[command(visible_alias = "rm")]
    Delete {
        /// Its name, path or UID
        #[arg(required = true)]
        repo: Option<String>,
        /// Succeed if the repo does not exist
        #[arg(long)]
        allow_missing: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    within: Within,
    /// Only those of this name
    #[arg(long, visible_alias = "name", value_name = "NAME")]
    repo: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Its name
    name: String,
    /// The organization or folder that it belongs to, by name, path or UID
    #[arg(long, value_name = "GROUP", required = true)]
    parent: Option<String>,
    /// Its description
    #[arg(short, long, default_value = "", hide_default_value = true)]
    description: String,
    /// Its catalog tier, such as APPLICATION
    #[arg(long, value_parser = tier)]
    tier: Option<CatalogTier>,
    /// The bundles that it belongs to
    #[arg(long, value_delimiter = ',', value_name = "BUNDLE,…")]
    bundles: Vec<String>,
    /// The repo to sync from, by UID, name or full reference
    #[arg(long, value_name = "REPO")]
    source: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Update {
    /// Its name, path or UID
    #[arg(required = true)]
    repo: Option<String>,
    #[command(flatten)]
    naming: Naming,
    /// The new catalog tier, such as APPLICATION
    #[arg(long, value_parser = tier)]
    tier: Option<CatalogTier>,
    /// The new bundles
    #[arg(long, value_delimiter = ',', value_name = "BUNDLE,…")]
    bundles: Option<Vec<String>>,
    /// The new aliases
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    aliases: Option<Vec<String>>,
    /// The new active tags, the most important first
    #[arg(long, value_delimiter = ',', value_name = "TAG,…")]
    active_tags: Option<Vec<String>>,
}

impl Repos {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List(list) => list.run(global, &client).await,
            Self::Describe { repo } => {
                let uid = resolve::uid(global, &client, Kind::Repo, repo).await?;
                let found = client.call_with::<GetRepo>(GetRepoRequest { uid }, &Options::default()).await?;
                global.output.describe(&row(&client, found.message).await?, found.etag.as_deref())
            }
            Self::Create(create) => create.run(global, &client).await,
            Self::Update(update) => update.run(global, &client).await,
            Self::Readme { repo, file } => readme(global, &client, repo, file).await,
            Self::Delete { repo, allow_missing } => delete(global, &client, repo, allow_missing).await,
        }
    }
}

impl List {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let uidp = self.within.filter(global, client).await?;
        let request = ListReposRequest { uidp, name: self.repo, order_by: by_name(), ..ListReposRequest::default() };
        if global.output == Format::Tree {
            let node = |repo: &Repo| (repo.uid.clone(), repo.name.clone());
            return tree::print::<ListRepos>(global, client, request, self.paging, |_| true, node).await;
        }
        let mut printed = Printed::<ListRepos>::new(global, client, request, self.paging);
        let mut list = output::List::new(global.output)?;
        let mut groups = Paths::default();
        while let Some(repos) = printed.next(|_| true).await? {
            if matches!(global.output, Format::Table | Format::Wide | Format::Csv) {
                groups.learn(client, repos.iter().map(|repo| repo.uid.as_str())).await?;
            }
            for repo in repos {
                let group = groups.parent(&repo.uid).unwrap_or_default().to_owned();
                list.add(&RepoRow { repo, group })?;
            }
        }
        printed.finish();
        list.end()
    }
}

impl Create {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let parent = resolve::uid(global, client, Kind::Group, self.parent).await?;
        let repo = Repo {
            name: self.name,
            description: self.description,
            catalog_tier: self.tier.unwrap_or_default().into(),
            bundles: self.bundles,
            sync_config: self.source.map(|source| SyncConfig { source, ..SyncConfig::default() }),
            ..Repo::default()
        };
        let repo = client.call::<CreateRepo>(CreateRepoRequest { parent, repo: Some(repo) }).await?;
        global.output.one(&row(client, repo).await?)
    }
}

impl Update {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let uid = resolve::uid(global, client, Kind::Repo, self.repo).await?;
        let given = [
            ("catalog_tier", self.tier.is_some()),
            ("bundles", self.bundles.is_some()),
            ("aliases", self.aliases.is_some()),
            ("active_tags", self.active_tags.is_some()),
        ];
        let mut paths = self.naming.paths();
        paths.extend(given.into_iter().filter(|(_, given)| *given).map(|(path, _)| path.to_owned()));
        something_to_change(&paths)?;
        let repo = Repo {
            uid,
            name: self.naming.name.unwrap_or_default(),
            description: self.naming.description.unwrap_or_default(),
            catalog_tier: self.tier.unwrap_or_default().into(),
            bundles: some(self.bundles),
            aliases: some(self.aliases),
            active_tags: some(self.active_tags),
            ..Repo::default()
        };
        let request = UpdateRepoRequest { repo: Some(repo), update_mask: Some(FieldMask { paths }) };
        let repo = client.call::<UpdateRepo>(request).await?;
        global.output.one(&row(client, repo).await?)
    }
}

/// The values of a list; an empty one is written as an empty text.
fn some(values: Option<Vec<String>>) -> Vec<String> {
    values.unwrap_or_default().into_iter().filter(|value| !value.is_empty()).collect()
}

/// The repo with the name of its group.
async fn row(client: &Client, repo: Repo) -> Result<RepoRow, Failure> {
    let groups = Paths::above(client, [repo.uid.as_str()]).await?;
    let group = groups.parent(&repo.uid).unwrap_or_default().to_owned();
    Ok(RepoRow { repo, group })
}

async fn readme(global: &Global, client: &Client, repo: Option<String>, file: Option<String>) -> Result<(), Failure> {
    let uid = resolve::uid(global, client, Kind::Repo, repo).await?;
    let readme = match file {
        None => client.call::<GetRepoReadme>(GetRepoReadmeRequest { uid }).await?,
        Some(file) => {
            let readme = RepoReadme { uid, content: input::text("the readme", &file)? };
            let update_mask = Some(FieldMask { paths: vec!["content".to_owned()] });
            let request = UpdateRepoReadmeRequest { repo_readme: Some(readme), update_mask };
            client.call::<UpdateRepoReadme>(request).await?
        }
    };
    match global.output {
        Format::Json | Format::Id => {
            output::report(global.output, &readme.uid, &json!({ "id": readme.uid, "content": readme.content }), None)
        }
        Format::Table | Format::Wide | Format::Csv | Format::Tree => {
            output::text(plain::lines(&readme.content).trim_end_matches('\n'))
        }
    }
}

async fn delete(global: &Global, client: &Client, repo: Option<String>, allow_missing: bool) -> Result<(), Failure> {
    let request = |uid| DeleteRepoRequest { uid };
    match deleting::delete::<DeleteRepo>(global, client, Kind::Repo, repo, " and everything in it", request).await {
        Err(failure) if allow_missing && failure.exit == Exit::NotFound => Ok(()),
        deleted => deleted,
    }
}

fn tier(text: &str) -> Result<CatalogTier, String> {
    named(text, "CATALOG_TIER_", CatalogTier::as_str_name)
}
