//! `provost iam organizations`

use clap::{Args, Subcommand};
use client::Client;
use contract::chainguard::platform::iam::v2beta1::{Group, ListGroupsRequest, OrgKind, rpc::ListGroups};

use super::{Naming, groups, limits::Limits};
use crate::{
    enums::named,
    exit::Failure,
    global::Global,
    listing::{self, Paging, below, by_name, roots},
    output::Format,
    resolve::{self, Kind},
    session, tree,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Organizations {
    /// List the organizations that you can see; as a tree, with their folders
    #[command(visible_alias = "ls")]
    List {
        /// Only those of this name
        #[arg(long, default_value = "", hide_default_value = true)]
        name: String,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show the details of an organization
    Describe {
        /// Its name or UID
        #[arg(required = true)]
        organization: Option<String>,
    },
    /// Create an organization; you become its owner
    Create(groups::New),
    /// Change an organization
    Update(Update),
    /// Limit how many resources organizations may have
    #[command(subcommand)]
    Limits(Limits),
    /// Delete an empty organization
    #[command(visible_alias = "rm")]
    Delete {
        /// Its name or UID
        #[arg(required = true)]
        organization: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Update {
    /// Its name or UID
    #[arg(required = true)]
    organization: Option<String>,
    #[command(flatten)]
    naming: Naming,
    /// Whether its domain is verified (operators only)
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    verified: Option<bool>,
    /// Kind of organization, such as CUSTOMER; required for verified ones
    #[arg(long, value_parser = kind)]
    kind: Option<OrgKind>,
}

impl Organizations {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { name, paging } => {
                let request = ListGroupsRequest { name, order_by: by_name(), ..ListGroupsRequest::default() };
                if global.output == Format::Tree {
                    return whole_tree(global, &client, request, paging).await;
                }
                let request = ListGroupsRequest { uidp: Some(roots()), ..request };
                listing::print::<ListGroups>(global, &client, request, paging, |_| true).await
            }
            Self::Describe { organization } => {
                let uid = resolve::uid(global, &client, Kind::Organization, organization).await?;
                groups::describe(global, &client, uid).await
            }
            Self::Create(new) => global.output.one(&groups::create(&client, String::new(), new).await?),
            Self::Update(update) => update.run(global, &client).await,
            Self::Limits(limits) => limits.run(global, &client).await,
            Self::Delete { organization } => groups::delete(global, &client, Kind::Organization, organization).await,
        }
    }
}

impl Update {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let uid = resolve::uid(global, client, Kind::Organization, self.organization).await?;
        let given = [("verified", self.verified.is_some()), ("kind", self.kind.is_some())];
        let paths = given.into_iter().filter(|(_, given)| *given).map(|(path, _)| path.to_owned()).collect();
        let (verified, kind) = (self.verified.unwrap_or_default(), self.kind.unwrap_or_default().into());
        let changed = Group { uid, verified, kind, ..Group::default() };
        global.output.one(&groups::update(client, changed, paths, self.naming).await?)
    }
}

/// The organizations of that name, or all of them, with everything below.
async fn whole_tree(global: &Global, client: &Client, request: ListGroupsRequest, paging: Paging) -> Result<(), Failure> {
    let uidp = match request.name.as_str() {
        "" => None,
        name => {
            let uid = resolve::uid(global, client, Kind::Organization, Some(name.to_owned())).await?;
            below(Some(uid), true)?
        }
    };
    let request = ListGroupsRequest { name: String::new(), uidp, ..request };
    tree::print::<ListGroups>(global, client, request, paging, |_| true, groups::node).await
}

fn kind(text: &str) -> Result<OrgKind, String> {
    named(text, "ORG_KIND_", OrgKind::as_str_name)
}
