//! `provost images visibility`

use clap::{Args, Subcommand, ValueEnum};
use client::Client;
use contract::provost::registry::v1::{
    GetGroupVisibilityRequest, GetRepoVisibilityRequest, SetGroupVisibilityRequest, SetRepoVisibilityRequest,
    rpc::{GetGroupVisibility, GetRepoVisibility, SetGroupVisibility, SetRepoVisibility},
};

use crate::{
    confirm::confirm,
    exit::Failure,
    global::Global,
    resolve::{self, Kind},
    session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Visibility {
    /// Show whether a repo or group is public, and why
    Describe(Place),
    /// Make a repo, or all repos in a group, public or private
    Set {
        /// public (everybody, without logging in) or private
        #[arg(value_enum, hide_possible_values = true)]
        to: To,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Place {
    /// The repo, by name, path or UID
    #[arg(long)]
    repo: Option<String>,
    /// The organization or folder with everything below it, by name, path or UID
    #[arg(long)]
    group: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum To {
    /// Everybody, without logging in
    Public,
    /// Who may read them
    Private,
}

impl Visibility {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::Describe(Place { repo: Some(repo), .. }) => {
                let uid = resolve::uid(global, &client, Kind::Repo, Some(repo)).await?;
                global.output.one(&client.call::<GetRepoVisibility>(GetRepoVisibilityRequest { uid }).await?)
            }
            Self::Describe(Place { group, .. }) => {
                let uid = resolve::uid(global, &client, Kind::Group, group).await?;
                global.output.one(&client.call::<GetGroupVisibility>(GetGroupVisibilityRequest { uid }).await?)
            }
            Self::Set { to, place: Place { repo: Some(repo), .. } } => {
                let uid = affirmed(global, &client, Kind::Repo, repo, to, "").await?;
                let request = SetRepoVisibilityRequest { uid, public: to == To::Public };
                global.output.one(&client.call::<SetRepoVisibility>(request).await?)
            }
            Self::Set { to, place: Place { group, .. } } => {
                let group = group.unwrap_or_default();
                let uid = affirmed(global, &client, Kind::Group, group, to, "all repos in and below ").await?;
                let request = SetGroupVisibilityRequest { uid, public: to == To::Public };
                global.output.one(&client.call::<SetGroupVisibility>(request).await?)
            }
        }
    }
}

/// The UID of what is named, once publishing it is confirmed.
async fn affirmed(global: &Global, client: &Client, kind: Kind, given: String, to: To, what: &str) -> Result<String, Failure> {
    let found = resolve::find(global, client, kind, Some(given)).await?;
    if to == To::Public && global.is_to_confirm() {
        let title = found.title(global, client, kind).await?;
        confirm(global, &format!("show {what}the {} {title} to everybody", kind.noun()))?;
    }
    Ok(found.uid)
}
