//! What the store tells about itself.

use std::time::Duration;

use domain::{Error, Timestamp};
use prometheus_client::{encoding::text::encode_registry, registry::Registry};
use store::{Later, Store, rows};

use super::{Engine, kit};

/// The value of a sample, by its name and labels as they are written.
pub(crate) fn sample(store: &Store, name: &str) -> f64 {
    let (mut registry, mut text) = (Registry::default(), String::new());
    store.metrics().register(&mut registry);
    encode_registry(&mut text, &registry).expect("encodes");
    let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    found.expect("the sample is there").parse().expect("a number")
}

pub(crate) async fn what_it_does_is_counted(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let before = sample(&store, "store_read_wait_seconds_count");
    let reader = store.reader().await.expect("reads");
    assert!(sample(&store, "store_reads_in_use") >= 1.0 && sample(&store, "store_read_connections") >= 1.0);
    drop(reader);
    assert!((sample(&store, "store_read_wait_seconds_count") - before) >= 1.0);

    kit::org(&store, 1).await;
    let (mut trial, org) = (kit::ctx(), kit::group(kit::root(2), "trial"));
    trial.validate_only = true;
    store.write(&trial, |tx| Box::pin(async move { rows::insert(tx, &org).await })).await.expect("is possible");
    let refused = kit::write(&store, |_| Box::pin(async { Err::<(), _>(Error::field("name", "is not wanted")) })).await;
    refused.expect_err("is refused");
    for (outcome, count) in [("committed", 1.0), ("validated", 1.0), ("refused", 1.0)] {
        let counted = sample(&store, &format!("store_writes_total{{outcome=\"{outcome}\"}}"));
        assert!((counted - count).abs() < 0.5, "{outcome}: {counted}");
    }
    assert!((sample(&store, "store_write_seconds_count") - 3.0).abs() < 0.5);
    assert!((sample(&store, "store_commit_seconds_count") - 1.0).abs() < 0.5, "only one of them had something to keep");
    assert!((sample(&store, "store_commit_writes_sum") - 1.0).abs() < 0.5);

    let busy = |name: &str| sample(&store, &format!("store_writer_busy_seconds_{name}"));
    let before = (busy("count"), busy("sum"));
    let arithmetic = kit::write(&store, |_| {
        Box::pin(async {
            std::thread::sleep(Duration::from_millis(60));
            Ok(())
        })
    });
    arithmetic.await.expect("is possible");
    assert!((busy("count") - before.0 - 1.0).abs() < 0.5 && busy("sum") - before.1 > 0.05, "it kept the writer");

    store.later(Later::Seen { identity: kit::root(1), at: Timestamp(1) });
    store.flush().await.expect("writes");
    assert!(sample(&store, "store_later_waiting").abs() < 0.5 && sample(&store, "store_writes_under_way").abs() < 0.5);
    store.measure().await.expect("measures");
    assert!(sample(&store, "store_database_bytes") > 10_000.0);
}
