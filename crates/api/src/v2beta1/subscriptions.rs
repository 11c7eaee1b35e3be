//! Subscriptions, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::events::v2beta1::{CreateSubscriptionRequest, Subscription, rpc},
};
use domain::{Ctx, Result};
use services::{Subscriptions, events::subscriptions::SubscriptionFilter};

use crate::{
    endpoint::{Endpoint, answer, on},
    noun::{deletes, gets, lists},
    uidp,
};

pub(crate) mod convert;

/// The RPCs of subscriptions.
pub(crate) fn endpoints(subscriptions: &Subscriptions) -> Vec<Endpoint> {
    vec![
        gets(rpc::GetSubscription, subscriptions, |request| &request.uid, convert::to_wire),
        lists(rpc::ListSubscriptions, subscriptions, |_, _| SubscriptionFilter, convert::to_wire),
        on(rpc::CreateSubscription, subscriptions, create),
        deletes(rpc::DeleteSubscription, subscriptions),
    ]
}

async fn create(
    subscriptions: Arc<Subscriptions>,
    ctx: Arc<Ctx>,
    request: CreateSubscriptionRequest,
) -> Result<Reply<Subscription>> {
    let parent = uidp::one("parent", &request.parent)?;
    let spec = convert::spec_from_wire(contract::mask::writable(&request.subscription.unwrap_or_default()))?;
    Ok(answer(&ctx, &subscriptions.create(&ctx, &parent, spec).await?, convert::to_wire))
}
