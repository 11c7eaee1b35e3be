//! `provost iam identity-providers group-mappings`

use clap::{Args, Subcommand};
use client::Client;
use contract::chainguard::platform::iam::v2beta1::{
    BatchDeleteExternalGroupRoleMappingsRequest, CreateExternalGroupRoleMappingRequest, DeleteExternalGroupRoleMappingRequest,
    ExternalGroupRoleMapping, ListExternalGroupRoleMappingsRequest,
    rpc::{
        BatchDeleteExternalGroupRoleMappings, CreateExternalGroupRoleMapping, DeleteExternalGroupRoleMapping,
        ListExternalGroupRoleMappings,
    },
};

use super::super::Within;
use crate::{
    confirm::confirm,
    deleting::delete,
    exit::Failure,
    global::Global,
    listing::{self, Paging},
    resolve::{self, Kind},
};

/// Most mappings that one request deletes.
const BATCH: usize = 100;

#[derive(Debug, Subcommand)]
pub(crate) enum GroupMappings {
    /// List the group mappings that you can see
    #[command(visible_alias = "ls")]
    List {
        /// Only those of this identity provider, by name, path or UID
        #[arg(long, value_name = "PROVIDER")]
        identity_provider: Option<String>,
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        paging: Paging,
    },
    /// Map an external group to a role
    Create(Create),
    /// Delete a group mapping, or all of an identity provider
    #[command(visible_alias = "rm")]
    Delete {
        /// Its UID
        #[arg(value_name = "UID", required_unless_present = "all", conflicts_with = "all")]
        mapping: Option<String>,
        /// All mappings of the identity provider
        #[arg(long, requires = "identity_provider")]
        all: bool,
        /// The identity provider, by name, path or UID
        #[arg(long, value_name = "PROVIDER", requires = "all")]
        identity_provider: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The identity provider, by name, path or UID
    #[arg(long, value_name = "PROVIDER", required = true)]
    identity_provider: Option<String>,
    /// The external group, as it appears in the groups claim
    #[arg(long, value_name = "GROUP")]
    external_group_id: String,
    /// The role to grant, by name, path or UID
    #[arg(long, required = true)]
    role: Option<String>,
    /// Where to grant it [default: the organization of the identity provider]
    #[arg(long, value_name = "ORGANIZATION")]
    scope: Option<String>,
}

impl GroupMappings {
    pub(super) async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        match self {
            Self::List { identity_provider, within, paging } => {
                let uidp = within.filter(global, client).await?;
                let provider = resolve::optional(global, client, Kind::IdentityProvider, identity_provider).await?;
                let request = of(provider.unwrap_or_default());
                let request = ListExternalGroupRoleMappingsRequest { uidp, ..request };
                listing::print::<ListExternalGroupRoleMappings>(global, client, request, paging, |_| true).await
            }
            Self::Create(create) => create.run(global, client).await,
            Self::Delete { mapping, identity_provider: Some(provider), all: true } if mapping.is_none() => {
                delete_all(global, client, provider).await
            }
            Self::Delete { mapping, .. } => {
                let request = |uid| DeleteExternalGroupRoleMappingRequest { uid };
                delete::<DeleteExternalGroupRoleMapping>(global, client, Kind::GroupMapping, mapping, "", request).await
            }
        }
    }
}

impl Create {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let parent = resolve::uid(global, client, Kind::IdentityProvider, self.identity_provider).await?;
        let scope = resolve::optional(global, client, Kind::Organization, self.scope).await?;
        let organization = || parent.split('/').next().unwrap_or_default().to_owned();
        let mapping = ExternalGroupRoleMapping {
            external_group_id: self.external_group_id,
            role_uid: resolve::uid(global, client, Kind::Role, self.role).await?,
            scope: scope.unwrap_or_else(organization),
            ..ExternalGroupRoleMapping::default()
        };
        let request = CreateExternalGroupRoleMappingRequest { parent, external_group_role_mapping: Some(mapping) };
        global.output.one(&client.call::<CreateExternalGroupRoleMapping>(request).await?)
    }
}

/// A list of what the identity provider has; of all there are where it is empty.
fn of(provider: String) -> ListExternalGroupRoleMappingsRequest {
    ListExternalGroupRoleMappingsRequest { identity_provider_uid: provider, ..ListExternalGroupRoleMappingsRequest::default() }
}

/// Deletes all mappings of an identity provider; each request takes some of them, all or none.
async fn delete_all(global: &Global, client: &Client, provider: String) -> Result<(), Failure> {
    if global.if_match.is_some() {
        return Err(Failure::usage("--if-match goes with one group mapping, not with --all"));
    }
    let found = resolve::find(global, client, Kind::IdentityProvider, Some(provider)).await?;
    let mappings = listing::all::<ListExternalGroupRoleMappings>(client, of(found.uid.clone())).await?;
    if global.is_to_confirm() && !mappings.is_empty() {
        let title = found.title(global, client, Kind::IdentityProvider).await?;
        confirm(global, &format!("delete all {} group mappings of the identity provider {title}", mappings.len()))?;
    }
    for some in mappings.chunks(BATCH) {
        let names = some.iter().map(|mapping| mapping.uid.clone()).collect();
        let request = BatchDeleteExternalGroupRoleMappingsRequest { parent: found.uid.clone(), names };
        let gone = client.call::<BatchDeleteExternalGroupRoleMappings>(request).await?;
        gone.external_group_role_mappings.iter().try_for_each(|mapping| global.deleted(&mapping.uid))?;
    }
    Ok(())
}
