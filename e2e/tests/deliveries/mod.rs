//! Events as they arrive at the sinks of subscriptions.

mod arrive;
mod crowd;
mod fail;
mod places;

use std::time::{Duration, Instant};

use contract::{
    chainguard::platform::{
        events::v2beta1::rpc::CreateSubscription,
        iam::v2beta1::{Group, rpc::CreateGroup},
    },
    provost::events::v1::{
        DeadLetter, Delivery, GetDeliveryRequest, ListDeadLettersRequest,
        rpc::{GetDelivery, ListDeadLetters},
    },
};
use testkit::{Actor, Delivered};

use crate::v2beta1::{groups::new_group, subscriptions::new_subscription};

/// Subscribes a sink to a group. Answers the subscription's UID.
async fn subscribe(actor: &Actor, group: &str, sink: &str) -> String {
    actor.must::<CreateSubscription>(new_subscription(group, sink)).await.uid
}

/// Makes a folder.
async fn folder(actor: &Actor, parent: &str, name: &str) -> Group {
    actor.must::<CreateGroup>(new_group(parent, name)).await
}

/// How delivery stands, once it is as `wish` says.
async fn stands(actor: &Actor, uid: &str, what: &str, wish: impl Fn(&Delivery) -> bool) -> Delivery {
    let begin = Instant::now();
    loop {
        let delivery = actor.must::<GetDelivery>(GetDeliveryRequest { uid: uid.to_owned() }).await;
        if wish(&delivery) {
            return delivery;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "{what}: {delivery:?}");
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

/// All dead letters, page by page.
async fn letters(actor: &Actor, uid: &str, page_size: i32) -> Vec<DeadLetter> {
    let mut request = ListDeadLettersRequest { uid: uid.to_owned(), page_size, ..ListDeadLettersRequest::default() };
    let mut letters = Vec::new();
    loop {
        let page = actor.must::<ListDeadLetters>(request.clone()).await;
        letters.extend(page.dead_letters);
        if page.next_page_token.is_empty() {
            assert_eq!(page.total_count, i64::try_from(letters.len()).expect("few"));
            return letters;
        }
        request.page_token = page.next_page_token;
    }
}

/// The names of the groups that events are about, in the order in which they came.
fn names(events: &[Delivered]) -> Vec<String> {
    events.iter().map(|event| event.json()["body"]["name"].as_str().unwrap_or_default().to_owned()).collect()
}
