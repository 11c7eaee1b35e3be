//! Many events for many sinks, of which some are dead. `PROVOST_TEST_EVENTS=long` is the long form.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use futures::{StreamExt as _, stream};
use testkit::{Setup, Sink, TestServer};

use super::{folder, names, stands, subscribe};

/// Who makes events at once.
const WRITERS: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn dead_sinks_delay_nobody() {
    #[expect(clippy::disallowed_methods, reason = "PROVOST_TEST_EVENTS comes from the environment")]
    let is_long = std::env::var("PROVOST_TEST_EVENTS").is_ok_and(|form| form == "long");
    let (events, sinks, dead, patience) =
        if is_long { (10_000, 100, 10, Duration::from_mins(30)) } else { (1_000, 20, 2, Duration::from_mins(3)) };
    let server = TestServer::start_with(Setup::delivering()).await;
    let (admin, org) = (server.admin(), server.organization().to_string());
    let place = folder(&admin, &org, "busy").await;
    let mut all = Vec::new();
    for n in 0..sinks {
        let sink = Sink::start().await;
        if n < dead {
            // Half of the dead take requests and never answer, the others say that they cannot.
            sink.answer(if n % 2 == 0 { 0 } else { 503 });
        }
        let uid = subscribe(&admin, &place.uid, &sink.url()).await;
        all.push((sink, uid));
    }
    let begin = Instant::now();
    let written: Vec<Duration> = stream::iter(0..events)
        .map(|n| {
            let (admin, place) = (&admin, &place);
            async move {
                let begin = Instant::now();
                folder(admin, &place.uid, &format!("f{n}")).await;
                begin.elapsed()
            }
        })
        .buffered(WRITERS)
        .collect()
        .await;
    let wrote = begin.elapsed();
    for (index, (sink, _)) in all.iter().enumerate().skip(dead) {
        // Those after the first are told of further subscriptions as well.
        let others = all.len() - 1 - index;
        sink.taken_within(events + others, patience).await;
    }
    let took = begin.elapsed();
    let mut order: Option<Vec<String>> = None;
    for (index, (sink, uid)) in all.iter().enumerate().skip(dead) {
        stands(&admin, uid, "everything has come", |delivery| !delivery.pending).await;
        let taken: Vec<_> =
            sink.requests().into_iter().filter(|event| event.header("ce-type").ends_with("iam.group.created.v1")).collect();
        let ids: Vec<_> = taken.iter().map(|event| event.id().to_owned()).collect();
        assert_eq!(ids.len(), ids.iter().collect::<HashSet<_>>().len(), "sink {index} got something twice");
        assert_eq!(names(&taken).iter().collect::<HashSet<_>>().len(), events, "sink {index} got everything");
        match &order {
            Some(order) => assert!(*order == ids, "sink {index} has another order"),
            None => order = Some(ids),
        }
    }
    for (index, (_, uid)) in all.iter().enumerate().take(dead) {
        let delivery = stands(&admin, uid, "a dead one waits", |delivery| delivery.failures > 0).await;
        assert!(delivery.pending && delivery.failures <= 2, "sink {index}: {delivery:?}");
    }
    let slowest = written.iter().max().copied().unwrap_or_default();
    println!(
        "{events} events to {sinks} sinks, {dead} dead: written in {wrote:?} (slowest {slowest:?}), all delivered {:?} later",
        took.saturating_sub(wrote)
    );
    assert!(slowest < Duration::from_secs(2), "a write took {slowest:?}");
    server.stop().await;
}
