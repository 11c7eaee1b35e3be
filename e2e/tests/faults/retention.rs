//! A server that removes what is old while it works.

use std::time::Duration;

use contract::chainguard::platform::events::v2beta1::{
    CreateSubscriptionRequest, DeleteSubscriptionRequest, Subscription,
    rpc::{CreateSubscription, DeleteSubscription},
};
use contract::chainguard::platform::iam::v2beta1::{
    CreateGroupRequest, DeleteGroupRequest, GetGroupRequest, Group, UpdateGroupRequest,
    rpc::{CreateGroup, DeleteGroup, GetGroup, UpdateGroup},
};
use serde_json::json;
use server::settings::Retention;
use store::retention::sizes;
use testkit::{Setup, TestServer};

const DAY: Duration = Duration::from_hours(24);

async fn rows_of(server: &TestServer, table: &str) -> i64 {
    let sizes = sizes(&mut server.store().reader().await.expect("reads")).await.expect("sizes");
    sizes.iter().find(|size| size.table == table).expect("the table").rows
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_old_goes_and_nobody_notices() {
    let retention = Retention {
        events: Some(DAY),
        audit_log: Some(DAY),
        period: Duration::from_millis(200),
        log_period: Duration::from_millis(200),
        fewest: 20,
    };
    let server = TestServer::start_with(Setup { retention, ..Setup::delivering() }).await;
    let (admin, parent) = (server.admin(), server.organization().to_string());
    let named = |name: &str| Group { name: name.into(), ..Group::default() };
    let create = |name: &str| CreateGroupRequest { parent: parent.clone(), group: Some(named(name)) };
    // Whom nothing is sent to any more at the end: what is to be delivered stays.
    let sink = Subscription { sink: "https://sink.example/events".into(), ..Subscription::default() };
    let sink = CreateSubscriptionRequest { parent: parent.clone(), subscription: Some(sink) };
    let sink = admin.must::<CreateSubscription>(sink).await;
    let stays = admin.must::<CreateGroup>(create("stays")).await;
    for n in 0..20 {
        let group = Group { uid: stays.uid.clone(), description: format!("the {n}th"), ..Group::default() };
        let update_mask = Some(contract::prost_types::FieldMask { paths: vec!["description".into()] });
        admin.must::<UpdateGroup>(UpdateGroupRequest { group: Some(group), update_mask }).await;
        let gone = admin.must::<CreateGroup>(create(&format!("gone {n}"))).await;
        admin.must::<DeleteGroup>(DeleteGroupRequest { uid: gone.uid }).await;
    }
    let before = [rows_of(&server, "audit").await, rows_of(&server, "changes").await];
    assert!(rows_of(&server, "outbox").await >= 61, "all that was told");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(rows_of(&server, "audit").await >= before[0], "nothing is old");

    server.clock().advance_seconds(2 * 86_400);
    let admin = server.admin_again().await;
    admin.must::<DeleteSubscription>(DeleteSubscriptionRequest { uid: sink.uid }).await;
    let mut left = Duration::from_secs(30);
    while rows_of(&server, "audit").await > before[0] - 55 || rows_of(&server, "outbox").await > 3 {
        left = left.checked_sub(Duration::from_millis(100)).expect("it goes within half a minute");
        // The clock stands still otherwise, and so does what waits for it.
        admin.must::<GetGroup>(GetGroupRequest { uid: stays.uid.clone() }).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(rows_of(&server, "changes").await <= before[1] - 55);
    let found = admin.must::<GetGroup>(GetGroupRequest { uid: stays.uid.clone() }).await;
    assert_eq!(found.description, "the 19th");
    admin.must::<CreateGroup>(create("later")).await;
    let checked = server.ask_admin(&json!({"command": "check"})).await;
    assert_eq!(checked["findings"], json!([]), "{checked:#}");
    server.stop().await;
}
