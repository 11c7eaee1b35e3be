//! `provost iam`

use clap::{Args, Subcommand};

use crate::{config::Global, exit::Failure};

mod folders;
mod groups;
mod identities;
mod organizations;
mod relationship;
mod role_bindings;
mod roles;

#[derive(Debug, Subcommand)]
pub(crate) enum Iam {
    /// Organizations: the roots of the tree
    #[command(subcommand, visible_aliases = ["organization", "orgs"])]
    Organizations(organizations::Organizations),
    /// Folders: groups below an organization
    #[command(subcommand, visible_alias = "folder")]
    Folders(folders::Folders),
    /// Identities: users and workloads
    #[command(subcommand, visible_aliases = ["identity", "ids"])]
    Identities(identities::Identities),
    /// Roles: named sets of capabilities
    #[command(subcommand, visible_alias = "role")]
    Roles(roles::Roles),
    /// Role bindings: who holds which role where
    #[command(subcommand, visible_alias = "role-binding")]
    RoleBindings(role_bindings::RoleBindings),
}

impl Iam {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::Organizations(command) => command.run(global).await,
            Self::Folders(command) => command.run(global).await,
            Self::Identities(command) => command.run(global).await,
            Self::Roles(command) => command.run(global).await,
            Self::RoleBindings(command) => command.run(global).await,
        }
    }
}

/// Which part of the tree a list covers.
#[derive(Debug, Args)]
pub(crate) struct Within {
    /// Only what lies below this organization or folder, by name or UID
    #[arg(long, value_name = "GROUP")]
    pub(crate) parent: Option<String>,
    /// Whether to go below the next level too
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set, value_name = "true|false")]
    pub(crate) recursive: bool,
}

/// A new name, a new description, or both.
#[derive(Debug, Args)]
pub(crate) struct Naming {
    /// The new name
    #[arg(short, long)]
    pub(crate) name: Option<String>,
    /// The new description; empty to remove it
    #[arg(short, long)]
    pub(crate) description: Option<String>,
}

impl Naming {
    /// The paths of the fields that change.
    pub(super) fn paths(&self) -> Vec<String> {
        let given = [("name", self.name.is_some()), ("description", self.description.is_some())];
        given.into_iter().filter(|(_, given)| *given).map(|(path, _)| path.to_owned()).collect()
    }
}

/// Refuses an update that changes nothing.
pub(super) fn something_to_change(paths: &[String]) -> Result<(), Failure> {
    if paths.is_empty() {
        return Err(Failure::usage("nothing to change: name at least one option, see --help"));
    }
    Ok(())
}
