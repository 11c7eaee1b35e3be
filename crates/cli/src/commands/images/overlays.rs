//! `provost images overlays`

use clap::{Args, Subcommand};
use client::Client;
use contract::chainguard::platform::registry::v2beta1::{
    CreateOverlayRequest, CustomOverlay, DeleteOverlayRequest, GetOverlayRequest, ListOverlaysRequest, Overlay,
    custom_overlay::ImageContents,
    rpc::{CreateOverlay, DeleteOverlay, GetOverlay, ListOverlays},
};

use super::super::iam::Within;
use crate::{
    deleting::delete,
    describing::describe,
    exit::Failure,
    global::Global,
    listing::{self, Paging, by_name},
    resolve::{self, Kind},
    session,
};

mod bindings;

#[derive(Debug, Subcommand)]
pub(crate) enum Overlays {
    /// List the overlays that you can see
    #[command(visible_alias = "ls")]
    List {
        /// Only those of this name
        #[arg(long, default_value = "", hide_default_value = true)]
        name: String,
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show the details of an overlay
    Describe {
        /// Its name, path or UID
        #[arg(required = true)]
        overlay: Option<String>,
    },
    /// Create an overlay
    Create(Create),
    /// Delete an overlay without bindings
    #[command(visible_alias = "rm")]
    Delete {
        /// Its name, path or UID
        #[arg(required = true)]
        overlay: Option<String>,
    },
    /// Bindings: overlays applied to tags
    #[command(subcommand, visible_alias = "binding")]
    Bindings(bindings::Bindings),
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Its name
    name: String,
    /// The organization or folder that it belongs to, by name, path or UID
    #[arg(long, value_name = "GROUP", required = true)]
    parent: Option<String>,
    /// Packages to add
    #[arg(long, value_delimiter = ',', required = true, value_name = "PACKAGE,…")]
    packages: Vec<String>,
}

impl Overlays {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { name, within, paging } => {
                let uidp = within.filter(global, &client).await?;
                let request = ListOverlaysRequest { name, uidp, order_by: by_name(), ..ListOverlaysRequest::default() };
                listing::print::<ListOverlays>(global, &client, request, paging, |_| true).await
            }
            Self::Describe { overlay } => {
                let uid = resolve::uid(global, &client, Kind::Overlay, overlay).await?;
                describe::<GetOverlay>(global, &client, GetOverlayRequest { uid }).await
            }
            Self::Create(create) => create.run(global, &client).await,
            Self::Delete { overlay } => {
                delete::<DeleteOverlay>(global, &client, Kind::Overlay, overlay, "", |uid| DeleteOverlayRequest { uid }).await
            }
            Self::Bindings(command) => command.run(global, &client).await,
        }
    }
}

impl Create {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let parent = resolve::uid(global, client, Kind::Group, self.parent).await?;
        let contents = Some(ImageContents { packages: self.packages, ..ImageContents::default() });
        let config = Some(CustomOverlay { contents, ..CustomOverlay::default() });
        let overlay = Some(Overlay { name: self.name, config, ..Overlay::default() });
        global.output.one(&client.call::<CreateOverlay>(CreateOverlayRequest { parent, overlay }).await?)
    }
}
