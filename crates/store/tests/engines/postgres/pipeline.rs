//! Statements travel together: a request on a slow line does not pay for each of them.

use domain::{Noun, Op};
use store::Store;

use super::{engine, kit, open, proxy::Proxy};

/// A change of two groups: two rows of the outbox, two changes of the feed and an audit row.
async fn announce(store: &Store, n: u64) -> domain::Result<()> {
    let mut ctx = kit::ctx();
    ctx.event = Some(kit::EVENT);
    let groups = [kit::root(n), kit::root(n + 1)];
    store
        .write(&ctx, move |tx| {
            Box::pin(async move {
                for group in &groups {
                    tx.announce(Noun::Group, group, Op::Updated, &n).await?;
                }
                Ok(())
            })
        })
        .await
}

/// The line gives no answer before all of them are on their way: whoever waited for one would wait in vain.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_sends_its_statements_without_waiting_for_each() {
    let Some(server) = engine() else { return };
    let proxy = Proxy::start(server.database.cluster().address()).await;
    let store = open(server.database.cluster().url_at(proxy.address, server.database.name())).await.expect("opens");
    announce(&store, 1).await.expect("the statements are prepared");
    proxy.hold_answers(4);
    assert!(!proxy.has_held());
    announce(&store, 3).await.expect("no statement waits for the answer to another");
    assert!(proxy.has_held(), "the request went through this line");
    store.close().await;
}
