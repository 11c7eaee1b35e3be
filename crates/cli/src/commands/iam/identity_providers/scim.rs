//! `provost iam identity-providers scim`

use std::time::Duration;

use clap::{Args, Subcommand};
use client::Client;
use contract::{
    chainguard::platform::iam::v2beta1::{
        GenerateScimTokenRequest, GetIdentityProviderRequest, RegenerateScimTokenRequest, RevokeScimTokenRequest,
        SetScimEnabledRequest,
        rpc::{GenerateScimToken, GetIdentityProvider, RegenerateScimToken, RevokeScimToken, SetScimEnabled},
    },
    prost_types,
};
use domain::Clock as _;
use serde_json::{Value, json};
use server::SystemClock;

use crate::{
    confirm::confirm,
    exit::Failure,
    global::Global,
    output::{self, time},
    resolve::{self, Kind},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Scim {
    /// Accept SCIM requests
    Enable(Provider),
    /// Refuse SCIM requests
    Disable(Provider),
    /// SCIM tokens of the identity provider
    #[command(subcommand)]
    Token(Token),
}

#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Create the first token; it is shown only once
    Generate {
        #[command(flatten)]
        provider: Provider,
        #[command(flatten)]
        lifetime: Lifetime,
    },
    /// Create a new token, shown only once; the old one stays valid for a while
    Regenerate {
        #[command(flatten)]
        provider: Provider,
        #[command(flatten)]
        lifetime: Lifetime,
        /// How long the old token stays valid: 1h by default, at most 24h, 0s to revoke it at once
        #[arg(long, value_name = "TIME", value_parser = crate::commands::duration)]
        overlap: Option<Duration>,
    },
    /// Revoke all tokens at once
    Revoke(Provider),
}

#[derive(Debug, Args)]
pub(crate) struct Provider {
    /// The identity provider, by name, path or UID
    #[arg(required = true)]
    provider: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Lifetime {
    /// Lifetime of the token: 8760h by default, at most 17520h
    #[arg(long, value_name = "TIME", value_parser = crate::commands::duration)]
    expires_in: Option<Duration>,
    /// The token never expires
    #[arg(long, conflicts_with = "expires_in")]
    never_expires: bool,
}

impl Scim {
    pub(super) async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        match self {
            Self::Enable(provider) => enable(global, client, provider, true).await,
            Self::Disable(provider) => enable(global, client, provider, false).await,
            Self::Token(command) => command.run(global, client).await,
        }
    }
}

impl Token {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        match self {
            Self::Generate { provider, lifetime } => {
                let request = GenerateScimTokenRequest {
                    identity_provider_uid: provider.uid(global, client).await?,
                    expire_time: lifetime.end(),
                    never_expires: lifetime.never_expires,
                };
                let made = client.call::<GenerateScimToken>(request).await?;
                let value = json!({
                    "identity_provider_id": made.identity_provider_uid,
                    "token": made.token,
                    "endpoint_url": made.endpoint_url,
                    "expire_time": time::wire(made.expire_time.as_ref()),
                });
                print(global, &made.identity_provider_uid, &value)
            }
            Self::Regenerate { provider, lifetime, overlap } => {
                let (uid, etag) = version(global, client, provider).await?;
                let request = RegenerateScimTokenRequest {
                    identity_provider_uid: uid,
                    overlap: overlap.map(|overlap| prost_types::Duration {
                        seconds: i64::try_from(overlap.as_secs()).unwrap_or(i64::MAX),
                        nanos: 0,
                    }),
                    expire_time: lifetime.end(),
                    etag,
                    never_expires: lifetime.never_expires,
                };
                let made = client.call::<RegenerateScimToken>(request).await?;
                let value = json!({
                    "identity_provider_id": made.identity_provider_uid,
                    "token": made.token,
                    "endpoint_url": made.endpoint_url,
                    "expire_time": time::wire(made.expire_time.as_ref()),
                    "previous_token_expire_time": time::wire(made.previous_token_expire_time.as_ref()),
                });
                print(global, &made.identity_provider_uid, &value)
            }
            Self::Revoke(provider) => {
                let found = resolve::find(global, client, Kind::IdentityProvider, provider.provider).await?;
                if global.is_to_confirm() {
                    let title = found.title(global, client, Kind::IdentityProvider).await?;
                    confirm(global, &format!("end all SCIM tokens of the identity provider {title}"))?;
                }
                let identity_provider_uid = found.uid;
                let revoked = client.call::<RevokeScimToken>(RevokeScimTokenRequest { identity_provider_uid }).await?;
                let value = json!({
                    "identity_provider_id": revoked.identity_provider_uid,
                    "enabled": revoked.enabled,
                    "revoke_time": time::wire(revoked.revoke_time.as_ref()),
                });
                print(global, &revoked.identity_provider_uid, &value)
            }
        }
    }
}

impl Provider {
    async fn uid(self, global: &Global, client: &Client) -> Result<String, Failure> {
        resolve::uid(global, client, Kind::IdentityProvider, self.provider).await
    }
}

impl Lifetime {
    /// The instant that this means from now on.
    fn end(&self) -> Option<prost_types::Timestamp> {
        let end = SystemClock.now().plus_seconds(i64::try_from(self.expires_in?.as_secs()).unwrap_or(i64::MAX));
        let nanos = i32::try_from(end.0.rem_euclid(1000) * 1_000_000).unwrap_or_default();
        Some(prost_types::Timestamp { seconds: end.seconds(), nanos })
    }
}

async fn enable(global: &Global, client: &Client, provider: Provider, enabled: bool) -> Result<(), Failure> {
    let (identity_provider_uid, etag) = version(global, client, provider).await?;
    let request = SetScimEnabledRequest { identity_provider_uid, enabled, etag };
    let answer = client.call::<SetScimEnabled>(request).await?;
    let value = json!({ "identity_provider_id": answer.identity_provider_uid, "enabled": answer.enabled });
    print(global, &answer.identity_provider_uid, &value)
}

/// The identity provider, and the version of its SCIM access, which those name who change it.
async fn version(global: &Global, client: &Client, provider: Provider) -> Result<(String, String), Failure> {
    let uid = provider.uid(global, client).await?;
    let found = client.call::<GetIdentityProvider>(GetIdentityProviderRequest { uid: uid.clone() }).await?;
    let scim = found.scim.ok_or_else(|| {
        Failure::failed("this identity provider has no SCIM token").hint("create one with `scim token generate`")
    })?;
    Ok((uid, scim.etag))
}

fn print(global: &Global, uid: &str, value: &Value) -> Result<(), Failure> {
    output::report(global.output, uid, value, None)
}
