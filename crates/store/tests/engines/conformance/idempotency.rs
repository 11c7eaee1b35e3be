//! Requests that are applied at most once.

use domain::{Ctx, Error, Kind, Result, Rule, ctx::IdempotencyClaim, iam::Group, ports::Replay};
use store::{Store, idempotency, rows};

use super::{Engine, kit};

const CLAIM: IdempotencyClaim = IdempotencyClaim { key: [1; 32], request: [2; 32] };

fn claiming(seconds: i64, claim: &IdempotencyClaim) -> Ctx {
    let mut ctx = kit::at(seconds);
    ctx.idempotency = Some(claim.clone());
    ctx
}

async fn create(store: &Store, ctx: &Ctx, n: u64) -> Result<Group> {
    store.write(ctx, move |tx| Box::pin(async move { rows::insert(tx, &kit::group(kit::root(n), "org")).await })).await
}

async fn find(store: &Store, seconds: i64) -> Result<Option<Replay>> {
    idempotency::find(&mut store.reader().await.expect("reads"), &CLAIM, kit::NOW.plus_seconds(seconds)).await
}

fn rule<T: std::fmt::Debug>(outcome: Result<T>) -> (Kind, Rule) {
    let error: Error = outcome.expect_err("is refused");
    (error.kind(), error.rule())
}

fn answer() -> Replay {
    Replay { message: vec![0, 1, 255], etag: Some("\"1\"".to_owned()) }
}

pub(crate) async fn a_claim_is_taken_once(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    assert_eq!(find(&store, 0).await.expect("reads"), None);
    create(&store, &claiming(0, &CLAIM), 1).await.expect("is applied");
    let running = (Kind::Aborted, Rule::IdempotentRequestRunning);
    assert_eq!(rule(create(&store, &claiming(1, &CLAIM), 2).await), running);
    assert_eq!(rule(find(&store, 1).await), running);
    let second = rows::get::<Group>(&mut store.reader().await.expect("reads"), &kit::root(2)).await.expect("reads");
    assert_eq!(second, None, "the second request is not applied");
}

pub(crate) async fn an_answer_is_replayed(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    create(&store, &claiming(0, &CLAIM), 1).await.expect("is applied");
    store.save_answer(&kit::ctx(), &CLAIM, answer()).await.expect("is kept");
    assert_eq!(find(&store, 3600).await.expect("reads"), Some(answer()));
    let other = Replay { message: vec![9], etag: None };
    store.save_answer(&kit::ctx(), &CLAIM, other).await.expect("comes too late");
    assert_eq!(find(&store, 3600).await.expect("reads"), Some(answer()), "the first answer stays");
    // A request that slipped past the gate is told to come again for the answer.
    assert_eq!(rule(create(&store, &claiming(1, &CLAIM), 2).await), (Kind::Aborted, Rule::IdempotentRequestRunning));
}

pub(crate) async fn a_key_for_another_request_is_refused(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    create(&store, &claiming(0, &CLAIM), 1).await.expect("is applied");
    let other = IdempotencyClaim { request: [3; 32], ..CLAIM };
    let reused = (Kind::InvalidArgument, Rule::IdempotencyKeyReused);
    assert_eq!(rule(create(&store, &claiming(1, &other), 2).await), reused);
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(rule(idempotency::find(&mut reader, &other, kit::NOW).await), reused);
    drop(reader);
    let other = IdempotencyClaim { key: [4; 32], ..CLAIM };
    create(&store, &claiming(1, &other), 2).await.expect("another key is another claim");
}

pub(crate) async fn an_answer_that_never_came_is_lost(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    create(&store, &claiming(0, &CLAIM), 1).await.expect("is applied");
    let lost = (Kind::Aborted, Rule::IdempotentAnswerLost);
    assert_eq!(rule(find(&store, 60).await), lost);
    assert_eq!(rule(create(&store, &claiming(60, &CLAIM), 2).await), lost);
}

pub(crate) async fn claims_expire_after_a_day(engine: &impl Engine) {
    const DAY: i64 = 24 * 3600;
    let store = engine.open().await.expect("opens");
    create(&store, &claiming(0, &CLAIM), 1).await.expect("is applied");
    store.save_answer(&kit::ctx(), &CLAIM, answer()).await.expect("is kept");
    assert_eq!(find(&store, DAY - 1).await.expect("reads"), Some(answer()));
    assert_eq!(find(&store, DAY).await.expect("reads"), None);
    create(&store, &claiming(DAY, &CLAIM), 2).await.expect("is applied as a new one");
    assert_eq!(rule(find(&store, DAY).await).1, Rule::IdempotentRequestRunning);
}

pub(crate) async fn a_failed_write_takes_no_claim(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    store
        .write(&claiming(0, &CLAIM), |_| Box::pin(async { Err::<(), _>(Error::field("name", "is refused")) }))
        .await
        .expect_err("fails");
    assert_eq!(find(&store, 0).await.expect("reads"), None);
    create(&store, &claiming(1, &CLAIM), 1).await.expect("is applied");
}
