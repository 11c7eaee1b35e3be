//! `provost iam role-bindings`

use clap::{Args, Subcommand};
use client::Client;
use contract::{
    chainguard::platform::iam::v2beta1::{
        CreateRoleBindingRequest, DeleteRoleBindingRequest, GetRoleBindingRequest, ListRoleBindingsRequest, RoleBinding,
        UpdateRoleBindingRequest,
        rpc::{CreateRoleBinding, DeleteRoleBinding, GetRoleBinding, ListRoleBindings, UpdateRoleBinding},
    },
    prost_types::FieldMask,
};

use super::{Within, something_to_change};
use crate::{
    config::Global,
    confirm::confirm,
    exit::Failure,
    listing::{all, below},
    resolve, session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum RoleBindings {
    /// List the role bindings that you can see
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        within: Within,
        /// Only those of this identity, by name or UID
        #[arg(long)]
        identity: Option<String>,
        /// Only those of this role, by name or UID
        #[arg(long)]
        role: Option<String>,
    },
    /// Show everything about a role binding
    Describe {
        /// Its UID
        uid: String,
    },
    /// Give an identity a role
    Create(Create),
    /// Change who holds the role, or which role it is
    Update(Update),
    /// Take the role away
    #[command(visible_alias = "rm")]
    Delete {
        /// Its UID
        uid: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Who gets the role, by name or UID
    #[arg(long)]
    identity: String,
    /// Which role, by name or UID
    #[arg(long)]
    role: String,
    /// Where it holds: this organization or folder and everything below, by name or UID
    #[arg(long, value_name = "GROUP")]
    parent: String,
}

#[derive(Debug, Args)]
pub(crate) struct Update {
    /// Its UID
    uid: String,
    /// Who holds the role from now on, by name or UID
    #[arg(long)]
    identity: Option<String>,
    /// Which role from now on, by name or UID
    #[arg(long)]
    role: Option<String>,
}

impl RoleBindings {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { within, identity, role } => {
                let parent = resolve::optional_group(&client, within.parent.as_deref()).await?;
                let (identity, role) = holders(&client, identity, role).await?;
                let request = ListRoleBindingsRequest {
                    uidp: below(parent, within.recursive),
                    identity: identity.unwrap_or_default(),
                    role: role.unwrap_or_default(),
                    ..ListRoleBindingsRequest::default()
                };
                global.output.list(&all::<ListRoleBindings>(&client, request).await?)
            }
            Self::Describe { uid } => {
                global.output.describe(&client.call::<GetRoleBinding>(GetRoleBindingRequest { uid }).await?)
            }
            Self::Create(create) => create.run(global, &client).await,
            Self::Update(update) => update.run(global, &client).await,
            Self::Delete { uid } => {
                confirm(global, &format!("delete the role binding {uid}"))?;
                client.call::<DeleteRoleBinding>(DeleteRoleBindingRequest { uid: uid.clone() }).await?;
                global.output.deleted(&uid)
            }
        }
    }
}

impl Create {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let parent = resolve::group(client, &self.parent).await?;
        let (identity, role) = holders(client, Some(self.identity), Some(self.role)).await?;
        let role_binding = RoleBinding {
            identity_uid: identity.unwrap_or_default(),
            role_uid: role.unwrap_or_default(),
            ..RoleBinding::default()
        };
        let request = CreateRoleBindingRequest { parent, role_binding: Some(role_binding) };
        global.output.one(&client.call::<CreateRoleBinding>(request).await?)
    }
}

impl Update {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let (identity, role) = holders(client, self.identity, self.role).await?;
        let given = [("identity_uid", identity.is_some()), ("role_uid", role.is_some())];
        let paths: Vec<_> = given.into_iter().filter(|(_, given)| *given).map(|(path, _)| path.to_owned()).collect();
        something_to_change(&paths)?;
        let role_binding = RoleBinding {
            uid: self.uid,
            identity_uid: identity.unwrap_or_default(),
            role_uid: role.unwrap_or_default(),
            ..RoleBinding::default()
        };
        let request = UpdateRoleBindingRequest { role_binding: Some(role_binding), update_mask: Some(FieldMask { paths }) };
        global.output.one(&client.call::<UpdateRoleBinding>(request).await?)
    }
}

/// The UIDs behind the names of an identity and a role.
async fn holders(
    client: &Client,
    identity: Option<String>,
    role: Option<String>,
) -> Result<(Option<String>, Option<String>), Failure> {
    let identity = match identity {
        Some(name) => Some(resolve::identity(client, &name).await?),
        None => None,
    };
    let role = match role {
        Some(name) => Some(resolve::role(client, &name).await?),
        None => None,
    };
    Ok((identity, role))
}
