//! `provost iam identity-providers`

use clap::{Args, Subcommand};
use client::Client;
use contract::chainguard::platform::iam::v2beta1::{
    CreateIdentityProviderRequest, DeleteIdentityProviderRequest, GetIdentityProviderRequest, IdentityProvider,
    ListIdentityProvidersRequest,
    identity_provider::{Configuration, Oidc},
    rpc::{CreateIdentityProvider, DeleteIdentityProvider, GetIdentityProvider, ListIdentityProviders},
};

use super::Within;
use crate::{
    deleting::delete,
    describing::describe,
    exit::Failure,
    global::Global,
    input,
    listing::{self, Paging},
    resolve::{self, Kind},
    session,
};

mod group_mappings;
mod scim;

#[derive(Debug, Subcommand)]
pub(crate) enum IdentityProviders {
    /// List the identity providers that you can see
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show the details of an identity provider, its SCIM access included
    Describe {
        /// Its name, path or UID
        #[arg(required = true)]
        provider: Option<String>,
    },
    /// Create an OpenID Connect identity provider for an organization
    Create(Create),
    /// Delete an identity provider; logins through it stop working
    #[command(visible_alias = "rm")]
    Delete {
        /// Its name, path or UID
        #[arg(required = true)]
        provider: Option<String>,
    },
    /// Group mappings: roles for members of external groups
    #[command(subcommand, visible_alias = "group-mapping")]
    GroupMappings(group_mappings::GroupMappings),
    /// SCIM provisioning of users
    #[command(subcommand)]
    Scim(scim::Scim),
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Its name
    name: String,
    /// The organization, by name or UID
    #[arg(long, value_name = "ORGANIZATION", required = true)]
    parent: Option<String>,
    /// Its description
    #[arg(short, long, default_value = "", hide_default_value = true)]
    description: String,
    /// The role that every user gets at login, by name, path or UID
    #[arg(long, value_name = "ROLE", required = true)]
    default_role: Option<String>,
    /// The issuer URL of the provider
    #[arg(long, value_name = "URL")]
    oidc_issuer: String,
    /// The client ID of this server at the provider
    #[arg(long, value_name = "ID")]
    oidc_client_id: String,
    /// A file with the client secret, or - for standard input
    #[arg(long, value_name = "FILE", required_unless_present = "oidc_pkce_enabled")]
    oidc_client_secret_file: Option<String>,
    /// Log in with PKCE
    #[arg(long)]
    oidc_pkce_enabled: bool,
    /// Additional scopes to request
    #[arg(long, value_name = "SCOPE", value_delimiter = ',')]
    oidc_additional_scopes: Vec<String>,
    /// The claim that lists a user's external groups
    #[arg(long, value_name = "CLAIM", default_value = "", hide_default_value = true)]
    oidc_groups_claim: String,
}

impl IdentityProviders {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { within, paging } => {
                let uidp = within.filter(global, &client).await?;
                let request = ListIdentityProvidersRequest { uidp, ..ListIdentityProvidersRequest::default() };
                listing::print::<ListIdentityProviders>(global, &client, request, paging, |_| true).await
            }
            Self::Describe { provider } => {
                let uid = resolve::uid(global, &client, Kind::IdentityProvider, provider).await?;
                describe::<GetIdentityProvider>(global, &client, GetIdentityProviderRequest { uid }).await
            }
            Self::Create(create) => create.run(global, &client).await,
            Self::Delete { provider } => {
                delete::<DeleteIdentityProvider>(
                    global,
                    &client,
                    Kind::IdentityProvider,
                    provider,
                    " with its group mappings",
                    |uid| DeleteIdentityProviderRequest { uid },
                )
                .await
            }
            Self::GroupMappings(command) => command.run(global, &client).await,
            Self::Scim(command) => command.run(global, &client).await,
        }
    }
}

impl Create {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let client_secret = self.oidc_client_secret_file.as_deref().map_or(Ok(String::new()), secret)?;
        let oidc = Oidc {
            issuer: self.oidc_issuer,
            client_id: self.oidc_client_id,
            client_secret,
            additional_scopes: self.oidc_additional_scopes,
            groups_claim: self.oidc_groups_claim,
            pkce_enabled: self.oidc_pkce_enabled,
            ..Oidc::default()
        };
        let provider = IdentityProvider {
            name: self.name,
            description: self.description,
            default_role: resolve::uid(global, client, Kind::Role, self.default_role).await?,
            configuration: Some(Configuration::Oidc(oidc)),
            ..IdentityProvider::default()
        };
        let parent = resolve::uid(global, client, Kind::Organization, self.parent).await?;
        let request = CreateIdentityProviderRequest { parent, identity_provider: Some(provider) };
        global.output.one(&client.call::<CreateIdentityProvider>(request).await?)
    }
}

/// The secret in a file, or on standard input, without the line's end.
fn secret(file: &str) -> Result<String, Failure> {
    Ok(input::text("the client secret", file)?.trim_end_matches(['\r', '\n']).to_owned())
}
