//! `provost iam organizations`

use clap::Subcommand;
use client::Client;
use contract::chainguard::platform::iam::v2beta1::{ListGroupsRequest, rpc::ListGroups};

use super::{Naming, groups};
use crate::{
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
    /// Show everything about an organization
    Describe {
        /// Its name or UID
        #[arg(required = true)]
        organization: Option<String>,
    },
    /// Create an organization; you become its owner
    Create(groups::New),
    /// Rename an organization or describe it anew
    Update {
        /// Its name or UID
        #[arg(required = true)]
        organization: Option<String>,
        #[command(flatten)]
        naming: Naming,
    },
    /// Delete an empty organization
    #[command(visible_alias = "rm")]
    Delete {
        /// Its name or UID
        #[arg(required = true)]
        organization: Option<String>,
    },
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
            Self::Create(new) => groups::create(global, &client, String::new(), new).await,
            Self::Update { organization, naming } => {
                let uid = resolve::uid(global, &client, Kind::Organization, organization).await?;
                groups::update(global, &client, uid, naming).await
            }
            Self::Delete { organization } => groups::delete(global, &client, Kind::Organization, organization).await,
        }
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
