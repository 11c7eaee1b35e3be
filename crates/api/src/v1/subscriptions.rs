//! Subscriptions, v1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::events::{self as wire, CreateSubscriptionRequest, SubscriptionFilter, SubscriptionList, rpc},
};
use domain::{
    Ctx, Error, Result, Violations,
    events::{Subscription, SubscriptionSpec},
};
use services::{Subscriptions, events::subscriptions};

use super::parent_id;
use crate::{
    endpoint::{Endpoint, answer, naming},
    list,
    noun::{deletes, lists_whole},
    uidp,
};

/// The RPCs of subscriptions.
pub(crate) fn endpoints(subscriptions: &Subscriptions) -> Vec<Endpoint> {
    vec![
        naming(parent_id, rpc::SubscriptionsCreate, subscriptions, create),
        lists_whole(rpc::List, subscriptions, part, to_wire, |items| SubscriptionList { items }),
        deletes(rpc::Delete, subscriptions),
    ]
}

async fn create(
    subscriptions: Arc<Subscriptions>,
    ctx: Arc<Ctx>,
    request: CreateSubscriptionRequest,
) -> Result<Reply<wire::Subscription>> {
    let parent = uidp::one("parent", &request.parent_id)?;
    let spec = spec_from_wire(request.subscription.unwrap_or_default())?;
    Ok(answer(&ctx, &subscriptions.create(&ctx, &parent, spec).await?, to_wire))
}

fn part(request: SubscriptionFilter) -> Result<list::Asked<subscriptions::SubscriptionFilter>> {
    let part = list::part(request.uidp, &request.id, Violations::default())?;
    Ok((part, subscriptions::SubscriptionFilter))
}

/// A subscription for an answer.
pub(crate) fn to_wire(subscription: &Subscription) -> wire::Subscription {
    wire::Subscription { id: subscription.uid.to_string(), sink: subscription.spec.sink.clone() }
}

/// What a request says that a subscription should be.
///
/// # Errors
/// Invalid argument without a sink.
fn spec_from_wire(subscription: wire::Subscription) -> Result<SubscriptionSpec> {
    if subscription.sink.is_empty() {
        return Err(Error::field("sink", "sink is required"));
    }
    Ok(SubscriptionSpec { sink: subscription.sink })
}
