//! `provost images settings`

use clap::{Args, Subcommand};
use client::Options;
use contract::chainguard::platform::registry::{
    GetRegistrySettingsRequest, RegistrySettings,
    rpc::{GetRegistrySettings, UpdateRegistrySettings},
};

use crate::{
    describing::describe,
    exit::Failure,
    global::Global,
    resolve::{self, Kind},
    session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Settings {
    /// Show the registry settings of a group
    Describe {
        /// The organization or folder, by name, path or UID
        #[arg(required = true)]
        group: Option<String>,
    },
    /// Change the registry settings of a group; omitted settings stay unchanged
    Set(Set),
}

#[derive(Debug, Args)]
pub(crate) struct Set {
    /// The organization or folder, by name, path or UID
    #[arg(required = true)]
    group: Option<String>,
    /// Whether every synced tag also gets one that is never moved
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    unique_tags: Option<bool>,
    /// Whether images are still built for a while when their main package is at the end of its life
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    eol_grace_period: Option<bool>,
}

impl Settings {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::Describe { group } => {
                let registry_id = resolve::uid(global, &client, Kind::Group, group).await?;
                let request = GetRegistrySettingsRequest { registry_id };
                describe::<GetRegistrySettings>(global, &client, request).await
            }
            Self::Set(Set { group, unique_tags, eol_grace_period }) => {
                let registry_id = resolve::uid(global, &client, Kind::Group, group).await?;
                // The wire replaces all of them, so that the others are only right if nobody changed them meanwhile.
                let request = GetRegistrySettingsRequest { registry_id: registry_id.clone() };
                let current = client.call_with::<GetRegistrySettings>(request, &Options::default()).await?;
                let options = Options { if_match: current.etag, ..Options::default() };
                let wish = RegistrySettings {
                    registry_id,
                    unique_tags: unique_tags.unwrap_or(current.message.unique_tags),
                    eol_grace_period: eol_grace_period.unwrap_or(current.message.eol_grace_period),
                };
                global.output.one(&client.call_with::<UpdateRegistrySettings>(wish, &options).await?.message)
            }
        }
    }
}
