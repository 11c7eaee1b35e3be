//! `provost iam folders`

use clap::Subcommand;
use contract::chainguard::platform::iam::v2beta1::{Group, ListGroupsRequest, rpc::ListGroups};

use super::{Depth, Naming, groups};
use crate::{
    exit::Failure,
    global::Global,
    listing::{self, Paging, below},
    output::Format,
    resolve::{self, Kind},
    session, tree,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Folders {
    /// List the folders that you can see
    #[command(visible_alias = "ls")]
    List {
        /// Only those below this organization or folder, by name, path or UID
        group: Option<String>,
        /// Only those of this name
        #[arg(long, default_value = "", hide_default_value = true)]
        name: String,
        #[command(flatten)]
        depth: Depth,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show everything about a folder
    Describe {
        /// Its name, path or UID
        #[arg(required = true)]
        folder: Option<String>,
    },
    /// Create a folder
    Create {
        #[command(flatten)]
        new: groups::New,
        /// The organization or folder to create it in, by name, path or UID
        #[arg(long, value_name = "GROUP", required = true)]
        parent: Option<String>,
    },
    /// Rename a folder or describe it anew
    Update {
        /// Its name, path or UID
        #[arg(required = true)]
        folder: Option<String>,
        #[command(flatten)]
        naming: Naming,
    },
    /// Delete an empty folder
    #[command(visible_alias = "rm")]
    Delete {
        /// Its name, path or UID
        #[arg(required = true)]
        folder: Option<String>,
    },
}

impl Folders {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { group, name, depth, paging } => {
                let parent = resolve::optional(global, &client, Kind::Group, group).await?;
                let uidp = below(parent.clone(), depth.recursive())?;
                let request = ListGroupsRequest { name, uidp, ..ListGroupsRequest::default() };
                // "Below" includes the group itself, and organizations are no folders.
                let keep = |group: &Group| group.uid.contains('/') && Some(&group.uid) != parent.as_ref();
                match global.output {
                    Format::Tree => tree::print::<ListGroups>(global, &client, request, paging, keep, groups::node).await,
                    _ => listing::print::<ListGroups>(global, &client, request, paging, keep).await,
                }
            }
            Self::Describe { folder } => {
                let uid = resolve::uid(global, &client, Kind::Folder, folder).await?;
                groups::describe(global, &client, uid).await
            }
            Self::Create { new, parent } => {
                let parent = resolve::uid(global, &client, Kind::Group, parent).await?;
                groups::create(global, &client, parent, new).await
            }
            Self::Update { folder, naming } => {
                let uid = resolve::uid(global, &client, Kind::Folder, folder).await?;
                groups::update(global, &client, Group { uid, ..Group::default() }, Vec::new(), naming).await
            }
            Self::Delete { folder } => groups::delete(global, &client, Kind::Folder, folder).await,
        }
    }
}
