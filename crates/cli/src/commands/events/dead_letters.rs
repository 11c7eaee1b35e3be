//! `provost events dead-letters`

use std::num::NonZeroUsize;

use clap::{Args, Subcommand};
use client::Client;
use contract::provost::events::v1::{
    ListDeadLettersRequest, ReplayDeadLettersRequest,
    rpc::{ListDeadLetters, ReplayDeadLetters},
};
use serde_json::json;

use crate::{
    exit::Failure,
    global::Global,
    listing, output,
    resolve::{self, Kind},
    session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum DeadLetters {
    /// List the dead letters of a subscription, the oldest event first
    #[command(visible_alias = "ls")]
    List {
        /// The UID of the subscription
        #[arg(value_name = "SUBSCRIPTION_UID", required = true)]
        subscription: Option<String>,
        /// Print at most this many
        #[arg(long, value_name = "NUMBER")]
        limit: Option<NonZeroUsize>,
    },
    /// Send dead letters to the sink again, before all newer events
    Replay(Replay),
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The UID of the subscription
    #[arg(value_name = "SUBSCRIPTION_UID", required = true)]
    subscription: Option<String>,
    /// The ids of the events; all dead letters without any
    #[arg(value_name = "EVENT_ID")]
    events: Vec<String>,
}

impl DeadLetters {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { subscription, limit } => {
                let uid = resolve::uid(global, &client, Kind::Subscription, subscription).await?;
                let request = ListDeadLettersRequest { uid, ..ListDeadLettersRequest::default() };
                let most = limit.map_or(usize::MAX, NonZeroUsize::get);
                global.output.list(&listing::first::<ListDeadLetters>(&client, request, most).await?)
            }
            Self::Replay(replay) => replay.run(global, &client).await,
        }
    }
}

impl Replay {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let uid = resolve::uid(global, client, Kind::Subscription, self.subscription).await?;
        let request = ReplayDeadLettersRequest { uid: uid.clone(), event_ids: self.events };
        let answer = client.call::<ReplayDeadLetters>(request).await?;
        output::report(global.output, &uid, &json!({ "id": uid, "replayed": answer.replayed }), None)
    }
}
