use contract::chainguard::platform::events::v2beta1::{
    DeleteSubscriptionRequest, Subscription,
    rpc::{CreateSubscription, DeleteSubscription},
};
use domain::Revision;
use store::outbox;
use testkit::scenario;

use super::new_subscription;
use crate::v2beta1::groups::new_group;

const SINK: &str = "https://hooks.example.com:8443/provost?key=1";

#[tokio::test]
async fn subscribes_a_sink_as_often_as_one_likes() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let first = s.call::<CreateSubscription>("a sink", &admin, new_subscription(&org, SINK)).await;
        let again = s.call::<CreateSubscription>("the same again", &admin, new_subscription(&org, SINK)).await;
        let (first, again): (Subscription, Subscription) = (first.ok(), again.ok());
        assert_ne!(first.uid, again.uid, "each is another one");

        let viewer = s.server.workload(s.server.organization(), "viewer", Some("viewer")).await;
        s.call::<CreateSubscription>("by a viewer", &viewer, new_subscription(&org, SINK)).await;
        let editor = s.server.workload(s.server.organization(), "editor", Some("editor")).await;
        assert_eq!(s.quietly::<CreateSubscription>(&editor, new_subscription(&org, SINK)).await.code, "OK");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn names_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let long = format!("https://hooks.example.com/{}", "a".repeat(1024));
        for (title, sink) in [
            ("no sink", ""),
            ("not encrypted", "http://hooks.example.com"),
            ("another scheme", "mailto:ada@example.com"),
            ("not absolute", "/hooks"),
            ("without a host", "https://"),
            ("with a user", "https://ada:secret@hooks.example.com"),
            ("with a fragment", "https://hooks.example.com/#here"),
            ("with a space", "https://hooks.example.com/a b"),
            ("too long", &long),
        ] {
            s.call::<CreateSubscription>(title, &admin, new_subscription(&org, sink)).await;
        }
        let identity = s.server.workload(s.server.organization(), "robot", None).await;
        s.name(identity.uid().as_str(), "identity");
        let nowhere = new_subscription(identity.uid().as_str(), SINK);
        s.call::<CreateSubscription>("a parent that is no group", &admin, nowhere).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_group_has_a_hundred_at_most() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let mut last = Subscription::default();
        for n in 0..100 {
            last = admin.must::<CreateSubscription>(new_subscription(&org, &format!("https://hooks.example.com/{n}"))).await;
        }
        s.call::<CreateSubscription>("one more", &admin, new_subscription(&org, SINK)).await;
        let folder = admin.must::<contract::chainguard::platform::iam::v2beta1::rpc::CreateGroup>(new_group(&org, "team")).await;
        let below = s.quietly::<CreateSubscription>(&admin, new_subscription(&folder.uid, SINK)).await;
        assert_eq!(below.code, "OK", "a folder has its own: {:#}", below.body);
        admin.must::<DeleteSubscription>(DeleteSubscriptionRequest { uid: last.uid }).await;
        let instead = s.quietly::<CreateSubscription>(&admin, new_subscription(&org, SINK)).await;
        assert_eq!(instead.code, "OK", "in the place of one that is gone: {:#}", instead.body);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn is_an_event_of_its_group() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made = admin.must::<CreateSubscription>(new_subscription(&org, SINK)).await;
        admin.must::<DeleteSubscription>(DeleteSubscriptionRequest { uid: made.uid.clone() }).await;
        let mut reader = s.server.store().reader().await.expect("reads");
        let events = outbox::pending(&mut reader, Revision(0), 1000).await.expect("events");
        let told: Vec<_> = events.iter().filter(|event| event.subject == made.uid).collect();
        let kinds: Vec<_> = told.iter().map(|event| event.kind.as_str()).collect();
        let expected = ["dev.chainguard.api.events.subscription.created.v1", "dev.chainguard.api.events.subscription.deleted.v1"];
        assert_eq!(kinds, expected);
        assert!(told.iter().all(|event| event.group == org && event.customer && event.api_version == "v2beta1"), "{told:?}");
    })
    .await;
}
