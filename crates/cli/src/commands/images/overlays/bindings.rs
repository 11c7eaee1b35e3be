//! `provost images overlays bindings`

use clap::{Args, Subcommand};
use client::Client;
use contract::chainguard::platform::registry::v2beta1::{
    CreateOverlayBindingRequest, DeleteOverlayBindingRequest, GetOverlayBindingRequest, ListOverlayBindingsRequest,
    rpc::{CreateOverlayBinding, DeleteOverlayBinding, GetOverlayBinding, ListOverlayBindings},
};

use crate::{
    commands::iam::Within,
    deleting::delete,
    describing::describe,
    exit::Failure,
    global::Global,
    listing::{self, Paging},
    resolve::{self, Kind},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Bindings {
    /// List the overlay bindings that you can see
    #[command(visible_alias = "ls")]
    List {
        /// Only those of this overlay, by name, path or UID
        #[arg(long)]
        overlay: Option<String>,
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show the details of an overlay binding
    Describe {
        /// Its UID
        #[arg(value_name = "UID", required = true)]
        binding: Option<String>,
    },
    /// Apply an overlay to tags of a repo
    Create(Create),
    /// Stop applying an overlay
    #[command(visible_alias = "rm")]
    Delete {
        /// Its UID
        #[arg(value_name = "UID", required = true)]
        binding: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The overlay, by name, path or UID
    #[arg(long, required = true)]
    overlay: Option<String>,
    /// The repo, by name, path or UID
    #[arg(long, required = true)]
    repo: Option<String>,
    /// Its tags
    #[arg(long, value_delimiter = ',', required = true, value_name = "TAG,…")]
    tags: Vec<String>,
}

impl Bindings {
    pub(super) async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        match self {
            Self::List { overlay, within, paging } => {
                let uidp = within.filter(global, client).await?;
                let overlay = resolve::optional(global, client, Kind::Overlay, overlay).await?.unwrap_or_default();
                let request = ListOverlayBindingsRequest { uidp, overlay, ..ListOverlayBindingsRequest::default() };
                listing::print::<ListOverlayBindings>(global, client, request, paging, |_| true).await
            }
            Self::Describe { binding } => {
                let uid = resolve::uid(global, client, Kind::OverlayBinding, binding).await?;
                describe::<GetOverlayBinding>(global, client, GetOverlayBindingRequest { uid }).await
            }
            Self::Create(Create { overlay, repo, tags }) => {
                let overlay = resolve::uid(global, client, Kind::Overlay, overlay).await?;
                let parent = resolve::uid(global, client, Kind::Repo, repo).await?;
                let request = CreateOverlayBindingRequest { parent, overlay, tags };
                global.output.one(&client.call::<CreateOverlayBinding>(request).await?)
            }
            Self::Delete { binding } => {
                let request = |uid| DeleteOverlayBindingRequest { uid };
                delete::<DeleteOverlayBinding>(global, client, Kind::OverlayBinding, binding, "", request).await
            }
        }
    }
}
