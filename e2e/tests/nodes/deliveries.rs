//! Nodes share the deliveries: each event arrives once, in order, whoever was told of it.

use std::collections::{BTreeMap, HashSet};

use contract::chainguard::platform::events::v2beta1::{CreateSubscriptionRequest, Subscription, rpc::CreateSubscription};
use testkit::{Setup, Sink};

use crate::{Nodes, at, make_folder};

const SINKS: usize = 12;
const EVENTS: usize = 150;

#[tokio::test(flavor = "multi_thread")]
async fn each_event_arrives_once_and_both_nodes_deliver() {
    let Some(cluster) = pgcluster::shared() else { return };
    let nodes = Nodes::of(Setup { database: Some(cluster.database()), ..Setup::delivering() }).await;
    let admin = nodes.one.admin();
    let there = at(&nodes.other, &admin);
    let org = nodes.one.organization().to_string();
    let place = make_folder(&admin, &org, "busy").await;
    let mut sinks = Vec::new();
    for _ in 0..SINKS {
        let sink = Sink::start().await;
        let subscription = Subscription { sink: sink.url(), ..Subscription::default() };
        let request = CreateSubscriptionRequest { parent: place.clone(), subscription: Some(subscription) };
        admin.must::<CreateSubscription>(request).await;
        sinks.push(sink);
    }
    for n in 0..EVENTS {
        let actor = if n % 2 == 0 { &admin } else { &there };
        make_folder(actor, &place, &format!("f{n}")).await;
    }
    for (index, sink) in sinks.iter().enumerate() {
        let taken = sink.taken(EVENTS + SINKS - 1 - index).await;
        let names: Vec<_> = taken
            .iter()
            .filter(|event| event.header("ce-type").ends_with("group.created.v1"))
            .map(|event| event.json()["body"]["name"].as_str().unwrap_or_default().to_owned())
            .collect();
        let expected: Vec<_> = (0..EVENTS).map(|n| format!("f{n}")).collect();
        assert!(names == expected, "sink {index} has another order: {names:?}");
        let ids: HashSet<_> = taken.iter().map(|event| event.id().to_owned()).collect();
        assert_eq!(ids.len(), taken.len(), "sink {index} got something twice");
    }
    let mut delivered = BTreeMap::new();
    for (name, node) in [("one", &nodes.one), ("other", &nodes.other)] {
        let metrics = node.metrics().await;
        delivered.insert(name, metrics.sum("provost_event_deliveries_total", &[("outcome", "delivered")]));
    }
    assert!(delivered.values().all(|count| *count > 0.0), "both deliver: {delivered:?}");
    println!("delivered: {delivered:?}");
    nodes.stop().await;
}
