//! `provost iam folders`

use clap::Subcommand;
use client::Client;
use contract::chainguard::platform::iam::v2beta1::{Group, ListGroupsRequest, rpc::ListGroups};

use super::{Naming, Within, groups};
use crate::{
    exit::Failure,
    global::Global,
    listing::{Paging, Printed, below},
    output::{self, Format},
    paths::Paths,
    resolve::{self, Kind},
    session, tree,
    views::FolderRow,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Folders {
    /// List the folders that you can see
    #[command(visible_alias = "ls")]
    List {
        /// The same as --parent
        #[arg(conflicts_with = "parent")]
        group: Option<String>,
        #[command(flatten)]
        within: Within,
        /// Only those of this name
        #[arg(long, default_value = "", hide_default_value = true)]
        name: String,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show the details of a folder
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
    /// Change the name or the description of a folder
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
            Self::List { group, within, name, paging } => {
                let parent = resolve::optional(global, &client, Kind::Group, group.or(within.parent)).await?;
                let uidp = below(parent.clone(), within.depth.recursive())?;
                let request = ListGroupsRequest { name, uidp, ..ListGroupsRequest::default() };
                // "Below" includes the group itself, and organizations are no folders.
                let keep = |group: &Group| group.uid.contains('/') && Some(&group.uid) != parent.as_ref();
                match global.output {
                    Format::Tree => tree::print::<ListGroups>(global, &client, request, paging, keep, groups::node).await,
                    _ => list(global, &client, request, paging, keep).await,
                }
            }
            Self::Describe { folder } => {
                let uid = resolve::uid(global, &client, Kind::Folder, folder).await?;
                groups::describe(global, &client, uid).await
            }
            Self::Create { new, parent } => {
                let parent = resolve::uid(global, &client, Kind::Group, parent).await?;
                print(global, &client, groups::create(&client, parent, new).await?).await
            }
            Self::Update { folder, naming } => {
                let uid = resolve::uid(global, &client, Kind::Folder, folder).await?;
                let changed = Group { uid, ..Group::default() };
                print(global, &client, groups::update(&client, changed, Vec::new(), naming).await?).await
            }
            Self::Delete { folder } => groups::delete(global, &client, Kind::Folder, folder).await,
        }
    }
}

/// Prints the folders that `request` selects, as far as `keep` wants them: tables by path, unless another order was asked for.
async fn list(
    global: &Global,
    client: &Client,
    request: ListGroupsRequest,
    mut paging: Paging,
    keep: impl Fn(&Group) -> bool,
) -> Result<(), Failure> {
    let order = paging.by_path(matches!(global.output, Format::Table | Format::Wide));
    let shows_paths = order.is_some() || has_path(global.output);
    let mut printed = Printed::<ListGroups>::new(global, client, request, paging);
    let (mut list, mut paths, mut sorted) = (output::List::new(global.output)?, Paths::default(), Vec::new());
    while let Some(folders) = printed.next(&keep).await? {
        if shows_paths {
            for folder in &folders {
                paths.know(&folder.uid, &folder.name);
            }
            paths.learn(client, folders.iter().map(|folder| folder.uid.as_str())).await?;
        }
        for group in folders {
            let path = if shows_paths { paths.of(&group.uid, &group.name) } else { String::new() };
            let row = FolderRow { group, path };
            if order.is_some() { sorted.push(row) } else { list.add(&row)? }
        }
    }
    printed.finish();
    if let Some(order) = order {
        order.apply(&mut sorted, |row| &row.path);
    }
    sorted.iter().try_for_each(|row| list.add(row))?;
    list.end()
}

/// Prints a folder that was created or changed.
async fn print(global: &Global, client: &Client, group: Group) -> Result<(), Failure> {
    let paths = if has_path(global.output) { Paths::above(client, [group.uid.as_str()]).await? } else { Paths::default() };
    let path = paths.of(&group.uid, &group.name);
    global.output.one(&FolderRow { group, path })
}

/// Whether the format shows the paths of folders.
fn has_path(format: Format) -> bool {
    !matches!(format, Format::Json | Format::Id)
}
