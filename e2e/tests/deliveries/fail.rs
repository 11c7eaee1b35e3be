use std::time::Duration;

use contract::{
    chainguard::platform::events::v2beta1::{DeleteSubscriptionRequest, rpc::DeleteSubscription},
    provost::events::v1::{
        ListDeadLettersRequest, ReplayDeadLettersRequest,
        rpc::{ListDeadLetters, ReplayDeadLetters},
    },
};
use store::deliveries;
use testkit::{Actor, Setup, Sink, TestServer, Transport};

use super::{folder, letters, names, stands, subscribe};

const HOUR: i64 = 3600;

fn replay(uid: &str, events: &[&str]) -> ReplayDeadLettersRequest {
    ReplayDeadLettersRequest { uid: uid.to_owned(), event_ids: events.iter().map(ToString::to_string).collect() }
}

async fn code(actor: &Actor, request: ReplayDeadLettersRequest) -> String {
    actor.call::<ReplayDeadLetters>(Transport::Grpc, request).await.code
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_sink_does_not_take_is_sent_again_in_order() {
    let server = TestServer::start_with(Setup::delivering()).await;
    let (admin, org) = (server.admin(), server.organization().to_string());
    let sink = Sink::start().await;
    let uid = subscribe(&admin, &org, &sink.url()).await;
    sink.answer(503);
    for name in ["one", "two", "three"] {
        folder(&admin, &org, name).await;
    }
    let failing = stands(&admin, &uid, "it fails", |delivery| delivery.failures == 1).await;
    assert!(failing.pending && failing.failing_since_time.is_some() && failing.retry_time.is_some(), "{failing:?}");
    assert_eq!(failing.problem, "the sink answered 503 Service Unavailable");
    server.clock().advance_seconds(6);
    let failing = stands(&admin, &uid, "it fails again", |delivery| delivery.failures == 2).await;
    assert_eq!(names(&sink.requests()), ["one", "one"], "the first one holds up the others");
    // The second wait is longer.
    server.clock().advance_seconds(4);
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(sink.count(), 2, "it waits: {failing:?}");
    sink.answer(204);
    server.clock().advance_seconds(7);
    let taken = sink.taken(3).await;
    assert_eq!(names(&taken), ["one", "two", "three"]);
    stands(&admin, &uid, "all is well", |delivery| !delivery.pending && delivery.failures == 0).await;
    let requests = sink.requests();
    assert_eq!(requests.len(), 5, "nothing came twice that was taken");
    assert!(requests[..3].iter().all(|request| request.id() == taken[0].id()), "it is the same event each time");
    let metrics = server.metrics().await;
    let deliveries = |outcome| metrics.sum("provost_event_deliveries_total", &[("outcome", outcome)]);
    assert!((deliveries("delivered") - 3.0).abs() < f64::EPSILON && (deliveries("down") - 2.0).abs() < f64::EPSILON);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_given_up_is_kept_and_sent_again_on_request() {
    let server = TestServer::start_with(Setup::delivering()).await;
    let (admin, org) = (server.admin(), server.organization().to_string());
    let sink = Sink::start().await;
    let viewer = server.workload(server.organization(), "viewer", Some("viewer")).await;
    let uid = subscribe(&admin, &org, &sink.url()).await;
    let list = ListDeadLettersRequest { uid: uid.clone(), ..ListDeadLettersRequest::default() };
    let seen = viewer.call::<ListDeadLetters>(Transport::Json, list).await;
    assert_eq!(seen.code, "OK", "who sees subscriptions sees what they lack");
    assert_eq!(code(&viewer, replay(&uid, &[])).await, "PERMISSION_DENIED");
    sink.answer(500);
    for name in ["one", "two", "three"] {
        folder(&admin, &org, name).await;
    }
    stands(&admin, &uid, "it fails", |delivery| delivery.failures == 1).await;
    server.clock().advance_seconds(24 * HOUR + 1);
    let admin = server.admin_again().await;
    let given_up = stands(&admin, &uid, "all are given up", |delivery| delivery.dead_letters == 3).await;
    assert!(!given_up.pending, "{given_up:?}");
    assert_eq!(names(&sink.requests()), ["one", "one"], "what is as old goes with it, untried");

    let dead = letters(&admin, &uid, 2).await;
    assert_eq!(dead.iter().map(|letter| letter.failures).collect::<Vec<_>>(), [2, 0, 0]);
    assert_eq!(dead[0].event_id, sink.requests()[0].id());
    assert!(dead.iter().all(|letter| letter.problem == "the sink answered 500 Internal Server Error"), "{dead:?}");
    assert!(dead.iter().all(|letter| letter.r#type == "dev.chainguard.api.iam.group.created.v1" && letter.replay_time.is_none()));

    let list = ListDeadLettersRequest { uid: uid.clone(), page_size: 1, ..ListDeadLettersRequest::default() };
    let altered = ListDeadLettersRequest { page_token: "e30".to_owned(), ..list.clone() };
    assert_eq!(admin.call::<ListDeadLetters>(Transport::Grpc, altered).await.code, "INVALID_ARGUMENT");
    let unknown = "00000000-0000-8000-8000-000000000000";
    assert_eq!(code(&admin, replay(&uid, &[unknown])).await, "INVALID_ARGUMENT");
    assert_eq!(code(&admin, replay(&format!("{org}/0000000000000001"), &[])).await, "NOT_FOUND");

    // What waits already comes behind what is sent again.
    folder(&admin, &org, "four").await;
    stands(&admin, &uid, "it fails", |delivery| delivery.failures == 1).await;
    sink.answer(200);
    let again = admin.must::<ReplayDeadLetters>(replay(&uid, &[&dead[1].event_id, &dead[2].event_id])).await;
    assert_eq!(again.replayed, 2);
    let taken = sink.taken(3).await;
    let (two, three, four) = (place(&taken, "two"), place(&taken, "three"), place(&taken, "four"));
    assert!((two, three) == (0, 1) && four > 1, "{:?}", names(&taken));
    assert_eq!(taken[two].id(), dead[1].event_id, "with its id of before");
    stands(&admin, &uid, "one is left", |delivery| delivery.dead_letters == 1 && !delivery.pending).await;
    assert_eq!(admin.must::<ReplayDeadLetters>(replay(&uid, &[])).await.replayed, 1);
    assert_eq!(place(&sink.taken(4).await, "one"), 3);
    stands(&admin, &uid, "none is left", |delivery| delivery.dead_letters == 0).await;
    server.stop().await;
}

fn place(taken: &[testkit::Delivered], name: &str) -> usize {
    names(taken).iter().position(|known| known == name).unwrap_or_else(|| panic!("{name} in {:?}", names(taken)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sink_that_refuses_one_event_gets_the_others() {
    let server = TestServer::start_with(Setup::delivering()).await;
    let (admin, org) = (server.admin(), server.organization().to_string());
    let sink = Sink::start().await;
    let uid = subscribe(&admin, &org, &sink.url()).await;
    sink.answer(400);
    folder(&admin, &org, "refused").await;
    stands(&admin, &uid, "it is refused", |delivery| delivery.failures == 1).await;
    server.clock().advance_seconds(23 * HOUR);
    let admin = server.admin_again().await;
    folder(&admin, &org, "fine").await;
    stands(&admin, &uid, "it is refused again", |delivery| delivery.failures == 2).await;
    server.clock().advance_seconds(2 * HOUR);
    let admin = server.admin_again().await;
    stands(&admin, &uid, "it is given up", |delivery| delivery.dead_letters == 1).await;
    sink.answer(200);
    server.clock().advance_seconds(2 * HOUR);
    let admin = server.admin_again().await;
    assert_eq!(names(&sink.taken(1).await), ["fine"]);
    assert_eq!(letters(&admin, &uid, 0).await[0].failures, 3);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_a_subscription_ends_its_deliveries_and_the_outbox_is_free() {
    let server = TestServer::start_with(Setup::delivering()).await;
    let (admin, org) = (server.admin(), server.organization().to_string());
    let sink = Sink::start().await;
    sink.answer(500);
    let uid = subscribe(&admin, &org, &sink.url()).await;
    folder(&admin, &org, "one").await;
    stands(&admin, &uid, "it fails", |delivery| delivery.failures == 1).await;
    let needed = async || {
        let mut reader = server.store().reader().await.expect("reads");
        deliveries::oldest_needed(&mut reader).await.expect("it is known").expect("a server runs")
    };
    let before = needed().await;
    for n in 0..5 {
        folder(&admin, &org, &format!("more-{n}")).await;
    }
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(needed().await, before, "what was not taken is needed");
    admin.must::<DeleteSubscription>(DeleteSubscriptionRequest { uid }).await;
    assert!(needed().await > before, "nobody needs it any more");
    let count = sink.count();
    server.clock().advance_seconds(HOUR);
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(sink.count(), count, "nothing more is sent");
    server.stop().await;
}
