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

use super::{Force, Within, something_to_change};
use crate::{
    deleting::delete_found,
    describing::describe,
    exit::Failure,
    global::Global,
    listing::{self, Paging},
    output::{Format, Show as _, remark},
    owners,
    resolve::{self, Kind},
    session, tree,
};

#[derive(Debug, Subcommand)]
pub(crate) enum RoleBindings {
    /// List the role bindings that you can see
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        within: Within,
        /// Only those of this identity, by name, path, UID or email address
        #[arg(long)]
        identity: Option<String>,
        /// Only those of this role, by name, path or UID
        #[arg(long)]
        role: Option<String>,
        /// Only those at exactly this organization or folder, by name, path or UID
        #[arg(long)]
        group: Option<String>,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show the details of a role binding
    Describe {
        /// Its UID
        #[arg(value_name = "UID", required = true)]
        binding: Option<String>,
    },
    /// Grant a role to an identity
    Create(Create),
    /// Change the identity or the role of a role binding
    Update(Update),
    /// Delete a role binding
    #[command(visible_alias = "rm")]
    Delete {
        /// Its UID
        #[arg(value_name = "UID", required = true)]
        binding: Option<String>,
        #[command(flatten)]
        force: Force,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The identity, by name, path, UID or email address
    #[arg(long, required = true)]
    identity: Option<String>,
    /// The role, by name, path or UID
    #[arg(long, required = true)]
    role: Option<String>,
    /// The organization or folder where it applies, with everything below, by name, path or UID
    #[arg(long, value_name = "GROUP", required = true)]
    parent: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Update {
    /// Its UID
    #[arg(value_name = "UID", required = true)]
    binding: Option<String>,
    /// The new identity, by name, path, UID or email address
    #[arg(long)]
    identity: Option<String>,
    /// The new role, by name, path or UID
    #[arg(long)]
    role: Option<String>,
    #[command(flatten)]
    force: Force,
}

impl RoleBindings {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { within, identity, role, group, paging } => {
                let uidp = within.filter(global, &client).await?;
                let identity = resolve::optional(global, &client, Kind::Identity, identity).await?;
                let role = resolve::optional(global, &client, Kind::Role, role).await?;
                let group = resolve::optional(global, &client, Kind::Group, group).await?;
                let request = ListRoleBindingsRequest {
                    uidp,
                    identity: identity.unwrap_or_default(),
                    role: role.unwrap_or_default(),
                    group: group.unwrap_or_default(),
                    ..ListRoleBindingsRequest::default()
                };
                let node = |binding: &RoleBinding| (binding.uid.clone(), binding.label());
                match global.output {
                    Format::Tree => tree::print::<ListRoleBindings>(global, &client, request, paging, |_| true, node).await,
                    _ => listing::print::<ListRoleBindings>(global, &client, request, paging, |_| true).await,
                }
            }
            Self::Describe { binding } => {
                let uid = resolve::uid(global, &client, Kind::RoleBinding, binding).await?;
                describe::<GetRoleBinding>(global, &client, GetRoleBindingRequest { uid }).await
            }
            Self::Create(create) => create.run(global, &client).await,
            Self::Update(update) => update.run(global, &client).await,
            Self::Delete { binding, force } => {
                let found = resolve::find(global, &client, Kind::RoleBinding, binding).await?;
                force.or_spare(&client, owners::bindings(&client, vec![found.uid.clone()])).await?;
                let request = |uid| DeleteRoleBindingRequest { uid };
                delete_found::<DeleteRoleBinding>(global, &client, Kind::RoleBinding, &found, "", request).await
            }
        }
    }
}

impl Create {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let identity_uid = resolve::uid(global, client, Kind::Identity, self.identity).await?;
        let role_uid = resolve::uid(global, client, Kind::Role, self.role).await?;
        let parent = resolve::uid(global, client, Kind::Group, self.parent).await?;
        let same = owners::same(client, &identity_uid, &role_uid, &parent).await?;
        let role_binding = RoleBinding { identity_uid, role_uid, ..RoleBinding::default() };
        let request = CreateRoleBindingRequest { parent, role_binding: Some(role_binding) };
        global.output.one(&client.call::<CreateRoleBinding>(request).await?)?;
        if let Some(same) = same.first() {
            remark(&format!("warning: it held this role there already, by {}; to take it away, delete both", same.uid));
        }
        Ok(())
    }
}

impl Update {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let identity = resolve::optional(global, client, Kind::Identity, self.identity).await?;
        let role = resolve::optional(global, client, Kind::Role, self.role).await?;
        let given = [("identity_uid", identity.is_some()), ("role_uid", role.is_some())];
        let paths: Vec<_> = given.into_iter().filter(|(_, given)| *given).map(|(path, _)| path.to_owned()).collect();
        something_to_change(&paths)?;
        let uid = resolve::uid(global, client, Kind::RoleBinding, self.binding).await?;
        self.force.or_spare(client, owners::bindings(client, vec![uid.clone()])).await?;
        let role_binding = RoleBinding {
            uid,
            identity_uid: identity.unwrap_or_default(),
            role_uid: role.unwrap_or_default(),
            ..RoleBinding::default()
        };
        let request = UpdateRoleBindingRequest { role_binding: Some(role_binding), update_mask: Some(FieldMask { paths }) };
        global.output.one(&client.call::<UpdateRoleBinding>(request).await?)
    }
}
