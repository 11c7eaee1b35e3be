use contract::chainguard::platform::events::{
    CreateSubscriptionRequest, DeleteSubscriptionRequest, Subscription, SubscriptionFilter, SubscriptionList,
    rpc::{Delete, List, SubscriptionsCreate},
    v2beta1::{self, GetSubscriptionRequest, rpc::GetSubscription},
};
use domain::Revision;
use store::outbox;
use testkit::scenario;

use super::below;
use crate::v2beta1::absent;

const SINK: &str = "https://hooks.example.com/provost";

fn new_subscription(parent: &str, sink: &str) -> CreateSubscriptionRequest {
    let subscription = Subscription { sink: sink.into(), ..Subscription::default() };
    CreateSubscriptionRequest { parent_id: parent.into(), subscription: Some(subscription) }
}

#[tokio::test]
async fn are_the_subscriptions_of_v2beta1() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made = s.call::<SubscriptionsCreate>("a sink", &admin, new_subscription(&org, SINK)).await;
        let id = made.ok::<Subscription>().id;
        s.name(&id, "subscription");
        let read: v2beta1::Subscription =
            s.quietly::<GetSubscription>(&admin, GetSubscriptionRequest { uid: id.clone() }).await.ok();
        assert_eq!((&read.uid, read.sink.as_str()), (&id, SINK), "it is the subscription of v2beta1");
        admin.must::<SubscriptionsCreate>(new_subscription(&org, SINK)).await;

        let by_id = SubscriptionFilter { id: id.clone(), ..SubscriptionFilter::default() };
        s.call::<List>("by its identifier", &admin, by_id.clone()).await;
        let all = SubscriptionFilter { uidp: Some(below(&org)), ..SubscriptionFilter::default() };
        assert_eq!(s.quietly::<List>(&admin, all).await.ok::<SubscriptionList>().items.len(), 2);
        let neither = SubscriptionFilter { uidp: Some(below(&absent(&org))), ..by_id.clone() };
        assert_eq!(s.quietly::<List>(&admin, neither).await.ok::<SubscriptionList>().items, []);

        s.call::<Delete>("it goes", &admin, DeleteSubscriptionRequest { id: id.clone() }).await;
        s.call::<Delete>("and is gone", &admin, DeleteSubscriptionRequest { id: id.clone() }).await;
        s.call::<List>("which a list says by being empty", &admin, by_id).await;

        let mut reader = s.server.store().reader().await.expect("reads");
        let events = outbox::pending(&mut reader, Revision(0), 1000).await.expect("events");
        let told: Vec<_> = events.iter().filter(|event| event.subject == id).collect();
        let expected = ["dev.chainguard.api.events.subscription.created.v1", "dev.chainguard.api.events.subscription.deleted.v1"];
        assert_eq!(told.iter().map(|event| event.kind.as_str()).collect::<Vec<_>>(), expected);
        assert!(told.iter().all(|event| event.group == org && event.api_version == "v1"), "{told:?}");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn name_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        s.call::<SubscriptionsCreate>("no sink", &admin, new_subscription(&org, "")).await;
        s.call::<SubscriptionsCreate>("not encrypted", &admin, new_subscription(&org, "http://hooks.example.com")).await;
        s.call::<SubscriptionsCreate>("in no group", &admin, new_subscription(&absent(&org), SINK)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
