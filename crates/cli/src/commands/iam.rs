//! `provost iam`

use clap::{Args, Subcommand};
use client::Client;
use contract::chainguard::platform::{common::UidpFilter, iam::v2beta1::RoleBinding};

use crate::{
    exit::Failure,
    global::Global,
    listing::below,
    owners,
    resolve::{self, Kind},
};

mod access_requests;
mod account_associations;
mod folders;
mod groups;
mod identities;
mod identity_providers;
mod invites;
mod limits;
mod organizations;
mod relationship;
mod role_bindings;
mod roles;
mod terms;
mod users;

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
    /// Identity providers: where users of an organization log in
    #[command(subcommand, visible_alias = "identity-provider")]
    IdentityProviders(identity_providers::IdentityProviders),
    /// Roles: named sets of capabilities
    #[command(subcommand, visible_alias = "role")]
    Roles(roles::Roles),
    /// Role bindings: who holds which role where
    #[command(subcommand, visible_alias = "role-binding")]
    RoleBindings(role_bindings::RoleBindings),
    /// Invites: codes for joining a group with a role
    #[command(subcommand, visible_alias = "invite")]
    Invites(invites::Invites),
    /// Access requests: users who ask to join an organization
    #[command(subcommand, visible_alias = "access-request")]
    AccessRequests(access_requests::AccessRequests),
    /// Users of an organization
    #[command(subcommand, visible_alias = "user")]
    Users(users::Users),
    /// Account associations: cloud accounts of a group
    #[command(subcommand, visible_alias = "account-association")]
    AccountAssociations(account_associations::AccountAssociations),
    /// Terms: documents that must be accepted before some methods can be used
    #[command(subcommand)]
    Terms(terms::Terms),
}

impl Iam {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::Organizations(command) => command.run(global).await,
            Self::Folders(command) => command.run(global).await,
            Self::Identities(command) => command.run(global).await,
            Self::IdentityProviders(command) => command.run(global).await,
            Self::Roles(command) => command.run(global).await,
            Self::RoleBindings(command) => command.run(global).await,
            Self::Invites(command) => command.run(global).await,
            Self::AccessRequests(command) => command.run(global).await,
            Self::Users(command) => command.run(global).await,
            Self::AccountAssociations(command) => command.run(global).await,
            Self::Terms(command) => command.run(global).await,
        }
    }
}

/// Which part of the tree a list covers.
#[derive(Debug, Args)]
pub(crate) struct Within {
    /// Only below this organization or folder, by name, path or UID
    #[arg(long, value_name = "GROUP")]
    pub(crate) parent: Option<String>,
    #[command(flatten)]
    pub(crate) depth: Depth,
}

impl Within {
    /// The filter of the wire.
    pub(super) async fn filter(self, global: &Global, client: &Client) -> Result<Option<UidpFilter>, Failure> {
        let parent = resolve::optional(global, client, Kind::Group, self.parent).await?;
        below(parent, self.depth.recursive())
    }
}

/// How deep a list goes.
#[derive(Debug, Args)]
pub(crate) struct Depth {
    /// List all levels [default]
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    #[arg(hide_possible_values = true, overrides_with = "no_recursive")]
    recursive: Option<bool>,
    /// List the next level only
    #[arg(long, overrides_with = "recursive")]
    no_recursive: bool,
}

impl Depth {
    /// Whether it goes below the next level.
    pub(crate) fn recursive(&self) -> bool {
        !self.no_recursive && self.recursive.unwrap_or(true)
    }
}

/// Leave to take the last owner from an organization.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Force {
    /// Even if an organization loses its last owner
    #[arg(long)]
    force: bool,
}

impl Force {
    /// Refuses to take away `bindings` where an organization would have no owner left, unless that is what is wanted.
    ///
    /// # Errors
    /// Usage when that is so; when the server does not answer.
    pub(crate) async fn or_spare(
        self,
        client: &Client,
        bindings: impl Future<Output = Result<Vec<RoleBinding>, Failure>>,
    ) -> Result<(), Failure> {
        if self.force { Ok(()) } else { owners::spare_last(client, &bindings.await?).await }
    }
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
        return Err(Failure::usage("nothing to change: give at least one option, see --help"));
    }
    Ok(())
}
