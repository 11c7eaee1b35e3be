//! `provost events subscriptions`

use clap::{Args, Subcommand};
use client::Client;
use contract::{
    chainguard::platform::events::v2beta1::{
        CreateSubscriptionRequest, DeleteSubscriptionRequest, GetSubscriptionRequest, ListSubscriptionsRequest, Subscription,
        rpc::{CreateSubscription, DeleteSubscription, GetSubscription, ListSubscriptions},
    },
    provost::events::v1::{Delivery, GetDeliveryRequest, rpc::GetDelivery},
};
use serde_json::json;

use super::super::iam::Within;
use crate::{
    deleting::delete,
    describing::describe,
    exit::Failure,
    global::Global,
    listing::{self, Paging},
    output::{self, time},
    resolve::{self, Kind},
    session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Subscriptions {
    /// List the subscriptions that you can see
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show the details of a subscription
    Describe {
        /// Its UID
        #[arg(value_name = "UID", required = true)]
        subscription: Option<String>,
    },
    /// Show whether the events of a subscription arrive
    Status {
        /// Its UID
        #[arg(value_name = "UID", required = true)]
        subscription: Option<String>,
    },
    /// Send the events of a group and everything below it to a URL
    Create(Create),
    /// Delete a subscription
    #[command(visible_alias = "rm")]
    Delete {
        /// Its UID
        #[arg(value_name = "UID", required = true)]
        subscription: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The https URL to send events to
    #[arg(value_name = "SINK_URL")]
    sink: String,
    /// The organization or folder, by name, path or UID
    #[arg(long, value_name = "GROUP", required = true)]
    parent: Option<String>,
}

impl Subscriptions {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { within, paging } => {
                let uidp = within.filter(global, &client).await?;
                let request = ListSubscriptionsRequest { uidp, ..ListSubscriptionsRequest::default() };
                listing::print::<ListSubscriptions>(global, &client, request, paging, |_| true).await
            }
            Self::Describe { subscription } => {
                let uid = resolve::uid(global, &client, Kind::Subscription, subscription).await?;
                describe::<GetSubscription>(global, &client, GetSubscriptionRequest { uid }).await
            }
            Self::Status { subscription } => {
                let uid = resolve::uid(global, &client, Kind::Subscription, subscription).await?;
                status(global, &client.call::<GetDelivery>(GetDeliveryRequest { uid }).await?)
            }
            Self::Create(create) => create.run(global, &client).await,
            Self::Delete { subscription } => {
                delete::<DeleteSubscription>(global, &client, Kind::Subscription, subscription, "", |uid| {
                    DeleteSubscriptionRequest { uid }
                })
                .await
            }
        }
    }
}

impl Create {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let parent = resolve::uid(global, client, Kind::Group, self.parent).await?;
        let subscription = Subscription { sink: self.sink, ..Subscription::default() };
        let request = CreateSubscriptionRequest { parent, subscription: Some(subscription) };
        global.output.one(&client.call::<CreateSubscription>(request).await?)
    }
}

fn status(global: &Global, delivery: &Delivery) -> Result<(), Failure> {
    let told = json!({
        "id": delivery.uid,
        "pending": delivery.pending,
        "failures": delivery.failures,
        "failing_since": time::wire(delivery.failing_since_time.as_ref()),
        "problem": delivery.problem,
        "retry_at": time::wire(delivery.retry_time.as_ref()),
        "dead_letters": delivery.dead_letters,
    });
    output::report(global.output, &delivery.uid, &told, None)
}
