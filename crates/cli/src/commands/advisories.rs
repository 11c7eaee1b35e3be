//! `provost advisories`

use clap::{Args, Subcommand};
use client::Client;
use contract::chainguard::platform::vulnerabilities::{
    v1::{
        self, CreateAdvisoryRequest, DeleteAdvisoryRequest,
        rpc::{Create as CreateAdvisory, Delete as DeleteAdvisory},
    },
    v2beta1::{
        Advisory, EventTypeFilter, GetAdvisoryRequest, ListAdvisoriesRequest, ReviewState,
        rpc::{GetAdvisory, ListAdvisories},
    },
};

use super::iam::Within;
use crate::{
    deleting::delete,
    describing, enums,
    exit::Failure,
    global::Global,
    listing::{self, Paging},
    resolve::{self, Kind},
    session,
};

mod events;
mod export;
mod import;

#[derive(Debug, Subcommand)]
pub(crate) enum Advisories {
    /// List the advisories that you can see
    #[command(visible_alias = "ls")]
    List(List),
    /// Show everything about an advisory
    Describe {
        /// Its id, CGA-xxxx-xxxx-xxxx, or its UID
        #[arg(required = true)]
        advisory: Option<String>,
    },
    /// Create an advisory
    Create(Create),
    /// Withdraw an advisory: it is listed still, and changes no more
    #[command(visible_alias = "rm")]
    Delete {
        /// Its id, CGA-xxxx-xxxx-xxxx, or its UID
        #[arg(required = true)]
        advisory: Option<String>,
    },
    /// Events: what was found out, and what reviews have come to
    #[command(subcommand, visible_alias = "event")]
    Events(events::Events),
    /// Import OSV and OpenVEX documents: new ones become advisories, changed ones change theirs
    Import(import::Import),
    /// Export advisories as OSV or OpenVEX documents: what was imported in that format as it came
    Export(export::Export),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only those about artifacts of these names
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    artifact_name: Vec<String>,
    /// Only those about components of these names
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    component_name: Vec<String>,
    /// Only those about these vulnerabilities
    #[arg(long, value_delimiter = ',', value_name = "CVE,…")]
    alias: Vec<String>,
    /// Only those with an event in one of these states
    #[arg(long, value_delimiter = ',', value_name = "STATE,…", value_parser = review_state)]
    review_state: Vec<ReviewState>,
    /// Only those whose latest approved event is of this type
    #[arg(long, value_name = "TYPE", value_parser = event_type)]
    latest_event_type: Option<EventTypeFilter>,
    /// Only those with this text in a name or an alias
    #[arg(long, default_value = "", hide_default_value = true)]
    query: String,
    #[command(flatten)]
    within: Within,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The organization or folder that it belongs to, by name, path or UID
    #[arg(long, value_name = "GROUP", required = true)]
    parent: Option<String>,
    /// The name of the artifact, such as a package
    #[arg(long, value_name = "NAME")]
    artifact_name: String,
    /// The type of the artifact, such as apk
    #[arg(long, value_name = "TYPE")]
    artifact_type: String,
    /// The architecture of the artifact, unless it is about all
    #[arg(long, value_name = "ARCHITECTURE", default_value = "", hide_default_value = true)]
    artifact_architecture: String,
    /// The name of the vulnerable component
    #[arg(long, value_name = "NAME")]
    component_name: Option<String>,
    /// Where in the artifact the component is
    #[arg(long, value_name = "PATH")]
    component_location: Option<String>,
    /// The type of the component, such as go-module
    #[arg(long, value_name = "TYPE")]
    component_type: Option<String>,
    /// What the vulnerability is called
    #[arg(long, value_delimiter = ',', value_name = "CVE,…")]
    aliases: Vec<String>,
    /// Who writes the advisory, unless that is you
    #[arg(long, default_value = "", hide_default_value = true)]
    author: String,
}

impl Advisories {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List(list) => list.run(global, &client).await,
            Self::Describe { advisory } => {
                let uid = resolve::uid(global, &client, Kind::Advisory, advisory).await?;
                describe(global, &client, uid).await
            }
            Self::Create(create) => create.run(global, &client).await,
            Self::Delete { advisory } => {
                let request = |id| DeleteAdvisoryRequest { id };
                delete::<DeleteAdvisory>(global, &client, Kind::Advisory, advisory, "", request).await
            }
            Self::Events(command) => command.run(global, &client).await,
            Self::Import(import) => import.run(global, &client).await,
            Self::Export(export) => export.run(global, &client).await,
        }
    }
}

impl List {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let request = ListAdvisoriesRequest {
            uidp: self.within.filter(global, client).await?,
            artifact_names: self.artifact_name,
            component_names: self.component_name,
            aliases: self.alias,
            event_review_states: self.review_state.into_iter().map(i32::from).collect(),
            latest_event_type: self.latest_event_type.map(i32::from),
            query: self.query,
            ..ListAdvisoriesRequest::default()
        };
        listing::print::<ListAdvisories>(global, client, request, self.paging, |_| true).await
    }
}

impl Create {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let parent_id = resolve::uid(global, client, Kind::Group, self.parent).await?;
        let advisory = v1::Advisory {
            artifact_name: self.artifact_name,
            artifact_type: self.artifact_type,
            artifact_architecture: self.artifact_architecture,
            component_name: self.component_name,
            component_location: self.component_location,
            component_type: self.component_type,
            aliases: self.aliases,
            author: self.author,
            ..v1::Advisory::default()
        };
        let request = CreateAdvisoryRequest { parent_id, advisory: Some(advisory) };
        global.output.one(&created(client.call::<CreateAdvisory>(request).await?))
    }
}

/// A new advisory, about which nothing was found out yet, as it is described.
fn created(made: v1::Advisory) -> Advisory {
    Advisory {
        uid: made.id,
        advisory_id: made.advisory_id,
        create_time: made.created_at,
        update_time: made.updated_at,
        author: made.author,
        artifact_name: made.artifact_name,
        artifact_type: made.artifact_type,
        artifact_architecture: made.artifact_architecture,
        component_name: made.component_name.unwrap_or_default(),
        component_location: made.component_location.unwrap_or_default(),
        component_type: made.component_type.unwrap_or_default(),
        aliases: made.aliases,
        ..Advisory::default()
    }
}

async fn describe(global: &Global, client: &Client, uid: String) -> Result<(), Failure> {
    describing::describe::<GetAdvisory>(global, client, GetAdvisoryRequest { uid }).await
}

/// A type of events, as users write it.
fn event_type(text: &str) -> Result<EventTypeFilter, String> {
    enums::named(text, "EVENT_TYPE_FILTER_", EventTypeFilter::as_str_name)
}

/// A review state, as users write it.
fn review_state(text: &str) -> Result<ReviewState, String> {
    enums::named(text, "REVIEW_STATE_", ReviewState::as_str_name)
}
