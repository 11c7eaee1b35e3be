//! `provost images repos`

use std::collections::{BTreeSet, HashMap};

use clap::{Args, Subcommand};
use client::{Client, Code};
use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{ListGroupsRequest, rpc::ListGroups},
    registry::v2beta1::{
        CatalogTier, CreateRepoRequest, DeleteRepoRequest, ListReposRequest, Repo,
        rpc::{CreateRepo, DeleteRepo, ListRepos},
    },
};

use crate::{
    config::Global,
    confirm::confirm,
    exit::{Exit, Failure},
    listing::{all, below, by_name},
    output::Format,
    resolve, session,
    views::RepoRow,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Repos {
    /// List the repos that you can see
    #[command(visible_alias = "ls")]
    List(List),
    /// Create a repo
    Create(Create),
    /// Delete a repo
    #[command(visible_alias = "rm")]
    Delete {
        /// Its name or UID
        repo: String,
        /// A repo that does not exist is no failure
        #[arg(long)]
        allow_missing: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only those below this organization or folder, by name or UID
    #[arg(long, value_name = "GROUP")]
    parent: Option<String>,
    /// Only those of this name
    #[arg(long, visible_alias = "name", value_name = "NAME")]
    repo: Option<String>,
    /// Whether to go below the next level too
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set, value_name = "true|false")]
    recursive: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Its name
    name: String,
    /// The organization or folder that it belongs to, by name or UID
    #[arg(long, value_name = "GROUP")]
    parent: String,
    /// Its description
    #[arg(short, long, default_value = "", hide_default_value = true)]
    description: String,
    /// Its catalog tier, such as APPLICATION
    #[arg(long, value_parser = tier)]
    tier: Option<CatalogTier>,
    /// The bundles that it belongs to
    #[arg(long, value_delimiter = ',', value_name = "BUNDLE,…")]
    bundles: Vec<String>,
}

impl Repos {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List(list) => list.run(global, &client).await,
            Self::Create(create) => create.run(global, &client).await,
            Self::Delete { repo, allow_missing } => delete(global, &client, &repo, allow_missing).await,
        }
    }
}

impl List {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let parent = resolve::optional_group(client, self.parent.as_deref()).await?;
        let uidp = below(parent, self.recursive);
        let repos = all::<ListRepos>(
            client,
            ListReposRequest { uidp, name: self.repo, order_by: by_name(), ..ListReposRequest::default() },
        )
        .await?;
        let names = match global.output {
            Format::Table => group_names(client, &repos).await?,
            Format::Json | Format::Id => HashMap::new(),
        };
        let row = |repo: Repo| RepoRow { group: names.get(parent_of(&repo)).cloned().unwrap_or_default(), repo };
        global.output.list(&repos.into_iter().map(row).collect::<Vec<_>>())
    }
}

impl Create {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let parent = resolve::group(client, &self.parent).await?;
        let repo = Repo {
            name: self.name,
            description: self.description,
            catalog_tier: self.tier.unwrap_or_default().into(),
            bundles: self.bundles,
            ..Repo::default()
        };
        let repo = client.call::<CreateRepo>(CreateRepoRequest { parent, repo: Some(repo) }).await?;
        let names = group_names(client, std::slice::from_ref(&repo)).await?;
        let group = names.get(parent_of(&repo)).cloned().unwrap_or_default();
        global.output.one(&RepoRow { repo, group })
    }
}

async fn delete(global: &Global, client: &Client, repo: &str, allow_missing: bool) -> Result<(), Failure> {
    let uid = match resolve::repo(client, repo).await {
        Err(failure) if allow_missing && failure.exit == Exit::NotFound => return Ok(()),
        uid => uid?,
    };
    confirm(global, &format!("delete the repo {uid} and everything in it"))?;
    match client.call::<DeleteRepo>(DeleteRepoRequest { uid: uid.clone() }).await {
        Err(error) if allow_missing && error.code() == Code::NotFound => Ok(()),
        answer => {
            answer?;
            global.output.deleted(&uid)
        }
    }
}

fn parent_of(repo: &Repo) -> &str {
    repo.uid.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The names of the repos' groups, as far as the caller may see them.
async fn group_names(client: &Client, repos: &[Repo]) -> Result<HashMap<String, String>, Failure> {
    /// How many UIDs one filter names.
    const BATCH: usize = 100;
    let parents: Vec<_> = repos.iter().map(parent_of).collect::<BTreeSet<_>>().into_iter().collect();
    let mut names = HashMap::new();
    for batch in parents.chunks(BATCH) {
        let ids = batch.iter().map(|uid| (*uid).to_owned()).collect();
        let uidp = Some(UidpFilter { ids, ..UidpFilter::default() });
        match all::<ListGroups>(client, ListGroupsRequest { uidp, ..ListGroupsRequest::default() }).await {
            Err(failure) if failure.exit == Exit::Denied => break,
            groups => names.extend(groups?.into_iter().map(|group| (group.uid, group.name))),
        }
    }
    Ok(names)
}

fn tier(text: &str) -> Result<CatalogTier, String> {
    let name = text.to_ascii_uppercase();
    let known: Vec<_> = (1..).map_while(|number| CatalogTier::try_from(number).ok()).collect();
    let short = |tier: &CatalogTier| tier.as_str_name().trim_start_matches("CATALOG_TIER_");
    known.iter().find(|tier| short(tier) == name).copied().ok_or_else(|| {
        let names: Vec<_> = known.iter().map(short).collect();
        format!("must be one of {}", names.join(", "))
    })
}
