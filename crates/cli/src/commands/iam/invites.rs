//! `provost iam invites`

use std::time::Duration;

use clap::{Args, Subcommand};
use client::Client;
use contract::{
    chainguard::platform::iam::v2beta1::{
        CreateGroupInviteRequest, DeleteGroupInviteRequest, GetGroupInviteRequest, GroupInvite, ListGroupInvitesRequest,
        rpc::{CreateGroupInvite, DeleteGroupInvite, GetGroupInvite, ListGroupInvites},
    },
    prost_types,
};

use super::{super::admin::duration, Within};
use crate::{
    deleting::delete,
    describing::describe,
    exit::Failure,
    global::Global,
    listing::{self, Paging},
    output::{self, Show as _},
    resolve::{self, Kind},
    session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Invites {
    /// List the invites that you can see, expired ones included
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show the details of an invite but its code
    Describe {
        /// Its UID
        #[arg(value_name = "UID", required = true)]
        invite: Option<String>,
    },
    /// Create an invite; its code is shown only once
    Create(Create),
    /// Delete an invite; its code stops working
    #[command(visible_alias = "rm")]
    Delete {
        /// Its UID
        #[arg(value_name = "UID", required = true)]
        invite: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The organization or folder, by name, path or UID
    #[arg(value_name = "GROUP", required = true)]
    parent: Option<String>,
    /// The role, by name, path or UID
    #[arg(long, required = true)]
    role: Option<String>,
    /// Lifetime of the code, such as 90s, 10m or 1h
    #[arg(long, value_name = "TIME", default_value = "168h", value_parser = duration)]
    ttl: Duration,
    /// Only for this email address, verified by the login provider
    #[arg(long)]
    email: Option<String>,
    /// Delete the invite when it has been accepted
    #[arg(long)]
    single_use: bool,
}

impl Invites {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { within, paging } => {
                let uidp = within.filter(global, &client).await?;
                let request = ListGroupInvitesRequest { uidp, ..ListGroupInvitesRequest::default() };
                listing::print::<ListGroupInvites>(global, &client, request, paging, |_| true).await
            }
            Self::Describe { invite } => {
                let uid = resolve::uid(global, &client, Kind::GroupInvite, invite).await?;
                describe::<GetGroupInvite>(global, &client, GetGroupInviteRequest { uid }).await
            }
            Self::Create(create) => create.run(global, &client).await,
            Self::Delete { invite } => {
                delete::<DeleteGroupInvite>(global, &client, Kind::GroupInvite, invite, "", |uid| DeleteGroupInviteRequest {
                    uid,
                })
                .await
            }
        }
    }
}

impl Create {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let parent = resolve::uid(global, client, Kind::Group, self.parent).await?;
        let role_uid = resolve::uid(global, client, Kind::Role, self.role).await?;
        let seconds = i64::try_from(self.ttl.as_secs()).unwrap_or(i64::MAX);
        let invite = GroupInvite {
            role_uid,
            ttl: Some(prost_types::Duration { seconds, nanos: 0 }),
            email: self.email.unwrap_or_default(),
            single_use: self.single_use,
            ..GroupInvite::default()
        };
        let request = CreateGroupInviteRequest { parent, group_invite: Some(invite) };
        let made = client.call::<CreateGroupInvite>(request).await?;
        output::report(global.output, &made.uid, &made.json(), None)
    }
}
