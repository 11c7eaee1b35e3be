//! How delivery to subscriptions stands, and what was given up.

use std::sync::Arc;

use contract::provost::events::v1::{
    DeadLetter as WireLetter, Delivery as Wire, GetDeliveryRequest, ListDeadLettersRequest, ListDeadLettersResponse,
    ReplayDeadLettersRequest, ReplayDeadLettersResponse, rpc,
};
use domain::{Ctx, ListRequest, Result, UidpFilter};
use services::{
    Deliveries,
    events::deliveries::{DeadLetter, Standing},
};

use crate::{
    endpoint::{Endpoint, on},
    time, uidp,
};

/// The RPCs of deliveries.
pub(crate) fn endpoints(deliveries: &Deliveries) -> Vec<Endpoint> {
    vec![
        on(rpc::GetDelivery, deliveries, get),
        on(rpc::ListDeadLetters, deliveries, list),
        on(rpc::ReplayDeadLetters, deliveries, replay),
    ]
}

async fn get(deliveries: Arc<Deliveries>, _ctx: Arc<Ctx>, request: GetDeliveryRequest) -> Result<Wire> {
    Ok(to_wire(&deliveries.get(&uidp::one("uid", &request.uid)?).await?))
}

async fn list(deliveries: Arc<Deliveries>, _ctx: Arc<Ctx>, request: ListDeadLettersRequest) -> Result<ListDeadLettersResponse> {
    let ListDeadLettersRequest { uid, page_size, page_token } = request;
    let uid = uidp::one("uid", &uid)?;
    let page = ListRequest::parse(UidpFilter::default(), page_size, &page_token, "", 0)?;
    let page = deliveries.letters(&uid, page.page_size, &page.page_token).await?;
    Ok(ListDeadLettersResponse {
        dead_letters: page.items.iter().map(letter_to_wire).collect(),
        next_page_token: page.next_page_token,
        total_count: i64::try_from(page.total).unwrap_or(i64::MAX),
    })
}

async fn replay(
    deliveries: Arc<Deliveries>,
    ctx: Arc<Ctx>,
    request: ReplayDeadLettersRequest,
) -> Result<ReplayDeadLettersResponse> {
    let uid = uidp::one("uid", &request.uid)?;
    let replayed = deliveries.replay(&ctx, &uid, request.event_ids).await?;
    Ok(ReplayDeadLettersResponse { replayed: i64::try_from(replayed).unwrap_or(i64::MAX) })
}

fn to_wire(standing: &Standing) -> Wire {
    let failing = standing.delivery.as_ref().filter(|delivery| delivery.attempts > 0);
    Wire {
        uid: standing.subscription.to_string(),
        pending: standing.delivery.is_some(),
        failures: failing.map_or(0, |delivery| i32::try_from(delivery.attempts).unwrap_or(i32::MAX)),
        failing_since_time: failing.and_then(|delivery| delivery.failing_since).map(time::to_wire),
        problem: failing.and_then(|delivery| delivery.problem.clone()).unwrap_or_default(),
        retry_time: failing.map(|delivery| time::to_wire(delivery.due_at)),
        dead_letters: i64::try_from(standing.dead_letters).unwrap_or(i64::MAX),
    }
}

fn letter_to_wire(letter: &DeadLetter) -> WireLetter {
    let DeadLetter { event, attempts, problem, died_at, replayed_at } = letter;
    WireLetter {
        event_id: event.id(),
        r#type: event.kind.clone(),
        subject: event.subject.clone(),
        group_uid: event.group.clone(),
        event_time: Some(time::to_wire(event.at)),
        give_up_time: Some(time::to_wire(*died_at)),
        failures: i32::try_from(*attempts).unwrap_or(i32::MAX),
        problem: problem.clone(),
        replay_time: replayed_at.map(time::to_wire),
    }
}
