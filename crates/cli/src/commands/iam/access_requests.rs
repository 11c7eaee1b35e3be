//! `provost iam access-requests`

use clap::Subcommand;
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
use serde_json::json;

use super::Within;
use crate::{
    exit::Failure,
    global::Global,
    listing::{self, Paging},
    output,
    resolve::{self, Kind},
    session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum AccessRequests {
    /// List who asks for access to the organizations that you own
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show everything about an access request
    Describe {
        /// Its UID
        #[arg(value_name = "UID", required = true)]
        request: Option<String>,
    },
    /// Ask the owners of the organization of your email address to let you in
    Create {
        /// The UID of the organization, which is looked up by your address where it is left out
        #[arg(value_name = "ORGANIZATION_UID")]
        organization: Option<String>,
    },
    /// Give who asks a role at the organization
    Grant {
        /// Its UID
        #[arg(value_name = "UID", required = true)]
        request: Option<String>,
        /// Which role, by name, path or UID
        #[arg(long, required = true)]
        role: Option<String>,
    },
    /// Refuse; who asks may ask again 30 days later
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
                global.output.describe(&client.call::<GetAccessRequest>(GetAccessRequestRequest { uid }).await?)
            }
            Self::Create { organization } => {
                let group_uid = match organization {
                    Some(uid) => uid,
                    None => client.call::<LookupGroup>(LookupGroupRequest {}).await?.group.unwrap_or_default().uid,
                };
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
