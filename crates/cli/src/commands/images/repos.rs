//! `provost images repos`

use clap::{Args, Subcommand};
use client::{Client, Code};
use contract::chainguard::platform::registry::v2beta1::{
    CatalogTier, CreateRepoRequest, DeleteRepoRequest, ListReposRequest, Repo,
    rpc::{CreateRepo, DeleteRepo, ListRepos},
};

use super::super::iam::Within;
use crate::{
    confirm::confirm,
    exit::{Exit, Failure},
    global::Global,
    listing::{Paging, Printed, by_name},
    output::{self, Format},
    paths::Paths,
    resolve::{self, Kind},
    session, tree,
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
        /// Its name, path or UID
        #[arg(required = true)]
        repo: Option<String>,
        /// A repo that does not exist is no failure
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
}

impl Repos {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List(list) => list.run(global, &client).await,
            Self::Create(create) => create.run(global, &client).await,
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
            if matches!(global.output, Format::Table | Format::Csv) {
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
            ..Repo::default()
        };
        let repo = client.call::<CreateRepo>(CreateRepoRequest { parent, repo: Some(repo) }).await?;
        let groups = Paths::above(client, [repo.uid.as_str()]).await?;
        let group = groups.parent(&repo.uid).unwrap_or_default().to_owned();
        global.output.one(&RepoRow { repo, group })
    }
}

async fn delete(global: &Global, client: &Client, repo: Option<String>, allow_missing: bool) -> Result<(), Failure> {
    let found = match resolve::find(global, client, Kind::Repo, repo).await {
        Err(failure) if allow_missing && failure.exit == Exit::NotFound => return Ok(()),
        found => found?,
    };
    if !global.yes {
        let title = found.title(global, client, Kind::Repo).await?;
        confirm(global, &format!("delete the repo {title} and everything in it"))?;
    }
    match client.call::<DeleteRepo>(DeleteRepoRequest { uid: found.uid.clone() }).await {
        Err(error) if allow_missing && error.code() == Code::NotFound => Ok(()),
        answer => {
            answer?;
            global.output.deleted(&found.uid)
        }
    }
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
