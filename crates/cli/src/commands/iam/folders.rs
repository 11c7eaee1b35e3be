//! `provost iam folders`

use clap::Subcommand;
use contract::chainguard::platform::iam::v2beta1::{ListGroupsRequest, rpc::ListGroups};

use super::{Naming, groups};
use crate::{
    config::Global,
    exit::Failure,
    listing::{all, below},
    resolve, session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Folders {
    /// List the folders that you can see
    #[command(visible_alias = "ls")]
    List {
        /// Only those below this organization or folder, by name or UID
        group: Option<String>,
        /// Only those of this name
        #[arg(long, default_value = "", hide_default_value = true)]
        name: String,
        /// Whether to go below the next level too
        #[arg(long, default_value_t = true, action = clap::ArgAction::Set, value_name = "true|false")]
        recursive: bool,
    },
    /// Show everything about a folder
    Describe {
        /// Its name or UID
        folder: String,
    },
    /// Create a folder
    Create {
        #[command(flatten)]
        new: groups::New,
        /// The organization or folder to create it in, by name or UID
        #[arg(long, value_name = "GROUP")]
        parent: String,
    },
    /// Rename a folder or describe it anew
    Update {
        /// Its name or UID
        folder: String,
        #[command(flatten)]
        naming: Naming,
    },
    /// Delete an empty folder
    #[command(visible_alias = "rm")]
    Delete {
        /// Its name or UID
        folder: String,
    },
}

impl Folders {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { group, name, recursive } => {
                let parent = resolve::optional_group(&client, group.as_deref()).await?;
                let uidp = below(parent.clone(), recursive);
                let mut found =
                    all::<ListGroups>(&client, ListGroupsRequest { name, uidp, ..ListGroupsRequest::default() }).await?;
                // "Below" includes the group itself, and organizations are no folders.
                found.retain(|group| group.uid.contains('/') && Some(&group.uid) != parent.as_ref());
                global.output.list(&found)
            }
            Self::Describe { folder } => {
                let uid = resolve::group(&client, &folder).await?;
                groups::describe(global, &client, uid).await
            }
            Self::Create { new, parent } => {
                let parent = resolve::group(&client, &parent).await?;
                groups::create(global, &client, parent, new).await
            }
            Self::Update { folder, naming } => {
                let uid = resolve::group(&client, &folder).await?;
                groups::update(global, &client, uid, naming).await
            }
            Self::Delete { folder } => {
                let uid = resolve::group(&client, &folder).await?;
                groups::delete(global, &client, "folder", uid).await
            }
        }
    }
}
