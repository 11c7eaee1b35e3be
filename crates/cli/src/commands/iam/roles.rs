//! `provost iam roles`

use std::collections::BTreeSet;

use clap::{Args, Subcommand};
use client::{Client, Options};
use contract::{
    chainguard::platform::iam::v2beta1::{
        CreateRoleRequest, DeleteRoleRequest, GetRoleRequest, ListRolesRequest, Role, UpdateRoleRequest,
        rpc::{CreateRole, DeleteRole, GetRole, ListRoles, UpdateRole},
    },
    prost_types::FieldMask,
};
use domain::Capability;

use super::{Naming, Within, something_to_change};
use crate::{
    deleting::delete_found,
    describing::describe,
    exit::{Exit, Failure},
    global::Global,
    listing::{self, Paging, by_name, roots},
    resolve::{self, Found, Kind},
    session,
};

mod capabilities;

#[derive(Debug, Subcommand)]
pub(crate) enum Roles {
    /// List the roles that you can see
    #[command(visible_alias = "ls")]
    List {
        /// Only those of this name
        #[arg(long, default_value = "", hide_default_value = true)]
        name: String,
        /// Only the built-in ones
        #[arg(long, conflicts_with = "parent")]
        managed: bool,
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show the details of a role
    Describe {
        /// Its name, path or UID
        #[arg(required = true)]
        role: Option<String>,
    },
    /// Create a role
    Create(Create),
    /// Change a role
    Update(Update),
    /// Delete a role that is not bound
    #[command(visible_alias = "rm")]
    Delete {
        /// Its name, path or UID
        #[arg(required = true)]
        role: Option<String>,
    },
    /// Capabilities: what roles can grant
    #[command(subcommand)]
    Capabilities(capabilities::Capabilities),
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Its name
    name: String,
    /// The organization or folder that it belongs to, by name, path or UID
    #[arg(long, value_name = "GROUP", required = true)]
    parent: Option<String>,
    /// What its holders may do
    #[arg(long, value_delimiter = ',', required = true, value_parser = capability, value_name = "CAPABILITY,…")]
    capabilities: Vec<Capability>,
    /// Its description
    #[arg(short, long, default_value = "", hide_default_value = true)]
    description: String,
}

#[derive(Debug, Args)]
pub(crate) struct Update {
    /// Its name, path or UID
    #[arg(required = true)]
    role: Option<String>,
    #[command(flatten)]
    naming: Naming,
    /// What its holders may do from now on
    #[arg(long, value_delimiter = ',', value_parser = capability, value_name = "CAPABILITY,…")]
    #[arg(conflicts_with_all = ["add_capabilities", "remove_capabilities"])]
    capabilities: Vec<Capability>,
    /// What its holders may do in addition
    #[arg(long, value_delimiter = ',', value_parser = capability, value_name = "CAPABILITY,…")]
    add_capabilities: Vec<Capability>,
    /// What its holders may not do any more
    #[arg(long, value_delimiter = ',', value_parser = capability, value_name = "CAPABILITY,…")]
    remove_capabilities: Vec<Capability>,
}

impl Roles {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        if let Self::Capabilities(command) = self {
            return command.run(global);
        }
        let client = session::connect(global).await?;
        match self {
            Self::Capabilities(command) => command.run(global),
            Self::List { name, managed, within, paging } => {
                let uidp = if managed { Some(roots()) } else { within.filter(global, &client).await? };
                let request = ListRolesRequest { name, uidp, order_by: by_name(), ..ListRolesRequest::default() };
                listing::print::<ListRoles>(global, &client, request, paging, |_| true).await
            }
            Self::Describe { role } => {
                let uid = resolve::uid(global, &client, Kind::Role, role).await?;
                describe::<GetRole>(global, &client, GetRoleRequest { uid }).await
            }
            Self::Create(create) => create.run(global, &client).await,
            Self::Update(update) => update.run(global, &client).await,
            Self::Delete { role } => {
                let found = resolve::find(global, &client, Kind::Role, role).await?;
                custom(found.clone())?;
                delete_found::<DeleteRole>(global, &client, Kind::Role, &found, "", |uid| DeleteRoleRequest { uid }).await
            }
        }
    }
}

impl Create {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let parent = resolve::uid(global, client, Kind::Group, self.parent).await?;
        let capabilities = numbers(self.capabilities);
        let role = Role { name: self.name, description: self.description, capabilities, ..Role::default() };
        let role = client.call::<CreateRole>(CreateRoleRequest { parent, role: Some(role) }).await?;
        global.output.one(&role)
    }
}

impl Update {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let uid = custom(resolve::find(global, client, Kind::Role, self.role).await?)?;
        let (mut paths, mut options) = (self.naming.paths(), Options::default());
        let mut capabilities = numbers(self.capabilities);
        if !self.add_capabilities.is_empty() || !self.remove_capabilities.is_empty() {
            // The wire replaces the whole list, so the new one is only right if nobody changed the old one meanwhile.
            let current = client.call_with::<GetRole>(GetRoleRequest { uid: uid.clone() }, &options).await?;
            options.if_match = current.etag;
            let mut wished: BTreeSet<_> = current.message.capabilities.into_iter().collect();
            wished.extend(numbers(self.add_capabilities));
            for number in numbers(self.remove_capabilities) {
                wished.remove(&number);
            }
            capabilities = wished.into_iter().collect();
            paths.push("capabilities".to_owned());
        } else if !capabilities.is_empty() {
            paths.push("capabilities".to_owned());
        }
        something_to_change(&paths)?;
        let (name, description) = (self.naming.name.unwrap_or_default(), self.naming.description.unwrap_or_default());
        let role = Role { uid, name, description, capabilities, ..Role::default() };
        let request = UpdateRoleRequest { role: Some(role), update_mask: Some(FieldMask { paths }) };
        global.output.one(&client.call_with::<UpdateRole>(request, &options).await?.message)
    }
}

/// The UID of a role that can be changed: built-in ones have no parent, and stay as they are.
fn custom(role: Found) -> Result<String, Failure> {
    if role.uid.contains('/') {
        return Ok(role.uid);
    }
    Err(Failure::new(Exit::Conflict, "built-in roles cannot be changed or deleted")
        .hint("create one: provost iam roles create --help"))
}

fn capability(name: &str) -> Result<Capability, String> {
    Capability::from_name(name)
        .ok_or_else(|| "no such capability; `provost iam roles capabilities list` shows them all".to_owned())
}

fn numbers(capabilities: Vec<Capability>) -> Vec<i32> {
    capabilities.into_iter().map(Capability::number).collect()
}
