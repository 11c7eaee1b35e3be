//! `provost iam organizations`

use clap::Subcommand;
use contract::chainguard::platform::iam::v2beta1::{ListGroupsRequest, rpc::ListGroups};

use super::{Naming, groups};
use crate::{
    config::Global,
    exit::Failure,
    listing::{all, by_name, roots},
    resolve, session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Organizations {
    /// List the organizations that you can see
    #[command(visible_alias = "ls")]
    List {
        /// Only those of this name
        #[arg(long, default_value = "", hide_default_value = true)]
        name: String,
    },
    /// Show everything about an organization
    Describe {
        /// Its name or UID
        organization: String,
    },
    /// Create an organization; you become its owner
    Create(groups::New),
    /// Rename an organization or describe it anew
    Update {
        /// Its name or UID
        organization: String,
        #[command(flatten)]
        naming: Naming,
    },
    /// Delete an empty organization
    #[command(visible_alias = "rm")]
    Delete {
        /// Its name or UID
        organization: String,
    },
}

impl Organizations {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { name } => {
                let request =
                    ListGroupsRequest { name, uidp: Some(roots()), order_by: by_name(), ..ListGroupsRequest::default() };
                global.output.list(&all::<ListGroups>(&client, request).await?)
            }
            Self::Describe { organization } => {
                let uid = resolve::organization(&client, &organization).await?;
                groups::describe(global, &client, uid).await
            }
            Self::Create(new) => groups::create(global, &client, String::new(), new).await,
            Self::Update { organization, naming } => {
                let uid = resolve::organization(&client, &organization).await?;
                groups::update(global, &client, uid, naming).await
            }
            Self::Delete { organization } => {
                let uid = resolve::organization(&client, &organization).await?;
                groups::delete(global, &client, "organization", uid).await
            }
        }
    }
}
