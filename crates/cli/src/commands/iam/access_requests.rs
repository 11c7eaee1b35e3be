//! `provost iam access-requests`

use clap::Subcommand;
use client::Client;
use contract::{
    chainguard::platform::iam::v2beta1::{
        LookupGroupRequest, RequestGroupAccessRequest,
        rpc::{LookupGroup, RequestGroupAccess},
    },
    provost::iam::v1::{
        GetAccessRequestRequest, GrantAccessRequestRequest, ListAccessRequestsRequest, RefuseAccessRequestRequest,
        rpc::{GetAccessRequest, GrantAccessRequest, ListAccessRequests, RefuseAccessRequest},
    },
};
use domain::Uidp;
use serde_json::json;

use super::Within;
use crate::{
    describing::describe,
    exit::Failure,
    global::Global,
    listing::{self, Paging},
    output,
    resolve::{self, Kind},
    session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum AccessRequests {
    /// List access requests for organizations that you own
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show the details of an access request
    Describe {
        /// Its UID
        #[arg(value_name = "UID", required = true)]
        request: Option<String>,
    },
    /// Request access to the organization of your email domain
    Create {
        /// The organization, by name or UID [default: found by your email domain]
        #[arg(id = "asked", value_name = "ORGANIZATION")]
        organization: Option<String>,
    },
    /// Grant an access request with a role
    Grant {
        /// Its UID
        #[arg(value_name = "UID", required = true)]
        request: Option<String>,
        /// The role, by name, path or UID
        #[arg(long, required = true)]
        role: Option<String>,
    },
    /// Refuse an access request; a new one is possible after 30 days
    Refuse {
        /// Its UID
        #[arg(value_name = "UID", required = true)]
        request: Option<String>,
    },
}

impl AccessRequests {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { within, paging } => {
                let uidp = within.filter(global, &client).await?;
                let request = ListAccessRequestsRequest { uidp, ..ListAccessRequestsRequest::default() };
                listing::print::<ListAccessRequests>(global, &client, request, paging, |_| true).await
            }
            Self::Describe { request } => {
                let uid = resolve::uid(global, &client, Kind::AccessRequest, request).await?;
                describe::<GetAccessRequest>(global, &client, GetAccessRequestRequest { uid }).await
            }
            Self::Create { organization } => {
                let group_uid = organization_to_ask(global, &client, organization).await?;
                client.call::<RequestGroupAccess>(RequestGroupAccessRequest { group_uid: group_uid.clone() }).await?;
                output::report(global.output, &group_uid, &json!({ "asked": group_uid }), None)
            }
            Self::Grant { request, role } => {
                let uid = resolve::uid(global, &client, Kind::AccessRequest, request).await?;
                let role_uid = resolve::uid(global, &client, Kind::Role, role).await?;
                global.output.one(&client.call::<GrantAccessRequest>(GrantAccessRequestRequest { uid, role_uid }).await?)
            }
            Self::Refuse { request } => {
                let uid = resolve::uid(global, &client, Kind::AccessRequest, request).await?;
                global.output.one(&client.call::<RefuseAccessRequest>(RefuseAccessRequestRequest { uid }).await?)
            }
        }
    }
}

/// The UID of the organization that `given` means. Who asks to be let in sees none but the one of their address.
async fn organization_to_ask(global: &Global, client: &Client, given: Option<String>) -> Result<String, Failure> {
    if let Some(uid) = given.as_ref().filter(|given| given.parse::<Uidp>().is_ok()) {
        return Ok(uid.clone());
    }
    let known = client.call::<LookupGroup>(LookupGroupRequest {}).await;
    match (known, given) {
        (Ok(known), None) => Ok(known.group.unwrap_or_default().uid),
        (Ok(known), Some(name)) if known.group.as_ref().is_some_and(|group| group.name == name) => {
            Ok(known.group.unwrap_or_default().uid)
        }
        (Err(error), None) => Err(error.into()),
        (_, Some(name)) => resolve::uid(global, client, Kind::Organization, Some(name)).await,
    }
}
