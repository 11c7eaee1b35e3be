//! What a write leaves behind: one audit row, its feed, its event.

use std::{net::IpAddr, sync::Arc};

use domain::{
    Actor, Caller, Ctx, Error, Narrowing, Noun, Op, Revision, Upstream,
    iam::{Group, Identity},
};
use store::{
    Store, audit,
    changes::{self, Change},
    outbox, rows,
};

use super::{Engine, kit};

async fn create(store: &Store, ctx: &Ctx, group: Group) -> Group {
    store
        .write(ctx, |tx| {
            Box::pin(async move {
                let group = rows::insert(tx, &group).await?;
                tx.announce(Noun::Group, &group.uid, Op::Created, &group).await?;
                Ok(group)
            })
        })
        .await
        .expect("is added")
}

async fn feed(store: &Store, after: Revision) -> Vec<(Noun, String, Op)> {
    let feed = changes::since(&mut store.reader().await.expect("reads"), after, 1000).await.expect("reads");
    assert!(feed.is_sorted_by_key(|change| (change.revision, change.ordinal)));
    feed.into_iter().map(|change| (change.noun, change.uid, change.op)).collect()
}

pub(crate) async fn a_write_leaves_one_audit_row_its_feed_and_its_event(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let mut ctx = kit::ctx();
    ctx.event = Some(kit::EVENT);
    ctx.request_id = "request-1".into();
    ctx.peer = Some(IpAddr::from([192, 0, 2, 1]));
    let org = create(&store, &ctx, kit::group(kit::root(1), "org")).await;

    let mut reader = store.reader().await.expect("reads");
    let uid = org.uid.to_string();
    let [entry] = audit::newest(&mut reader, 10).await.expect("reads").try_into().expect("one row");
    assert_eq!((entry.revision, entry.at), (Some(org.revision), kit::NOW));
    assert_eq!((&*entry.request_id, entry.method.as_str(), entry.peer), ("request-1", kit::METHOD, ctx.peer));
    assert_eq!((entry.noun, entry.subject.as_deref(), entry.op), (Some(Noun::Group), Some(uid.as_str()), Some(Op::Created)));
    assert_eq!(entry.outcome, audit::OK);

    let change = Change { revision: org.revision, ordinal: 0, noun: Noun::Group, uid: uid.clone(), op: Op::Created };
    assert_eq!(changes::since(&mut reader, Revision(0), 10).await.expect("reads"), [change]);

    let [event] = outbox::pending(&mut reader, Revision(0), 10).await.expect("reads").try_into().expect("one event");
    assert_eq!((event.kind.as_str(), event.api_version.as_str(), event.customer), (kit::EVENT.kind, "v2beta1", true));
    assert_eq!((&event.subject, &event.group, event.revision, event.at), (&uid, &uid, org.revision, kit::NOW));
    assert_eq!(serde_json::from_str::<Group>(&event.snapshot).expect("is JSON"), org);
    assert_eq!(outbox::pending(&mut reader, org.revision, 10).await.expect("reads"), []);
}

pub(crate) async fn without_an_event_rule_there_is_no_event(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    create(&store, &kit::ctx(), kit::group(kit::root(1), "org")).await;
    assert_eq!(outbox::pending(&mut store.reader().await.expect("reads"), Revision(0), 10).await.expect("reads"), []);
    assert_eq!(feed(&store, Revision(0)).await.len(), 1);
}

pub(crate) async fn what_only_reads_is_audited_and_nothing_else(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let gone = kit::write(&store, |tx| Box::pin(async move { rows::delete::<Identity>(tx, &kit::root(9)).await })).await;
    assert!(!gone.expect("writes"));
    let entries = audit::newest(&mut store.reader().await.expect("reads"), 10).await.expect("reads");
    assert_eq!(entries.iter().map(|entry| (entry.noun, entry.op)).collect::<Vec<_>>(), [(None, None)]);
    assert_eq!(feed(&store, Revision(0)).await, []);
}

pub(crate) async fn cascades_are_in_the_feed(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { identity, binding, .. } = kit::bound(&store).await;
    let mut ctx = kit::ctx();
    ctx.event = Some(kit::EVENT);
    let row = identity.clone();
    store
        .write(&ctx, |tx| {
            Box::pin(async move {
                rows::delete::<Identity>(tx, &row.uid).await?;
                tx.announce(Noun::Identity, &row.uid, Op::Deleted, &row).await
            })
        })
        .await
        .expect("goes");
    let expected =
        [(Noun::RoleBinding, binding.uid.to_string(), Op::Deleted), (Noun::Identity, identity.uid.to_string(), Op::Deleted)];
    assert_eq!(feed(&store, binding.revision).await, expected);
    let mut reader = store.reader().await.expect("reads");
    let [entry] = audit::newest(&mut reader, 1).await.expect("reads").try_into().expect("one row");
    assert_eq!(entry.subject, Some(identity.uid.to_string()), "the audit row is about what was announced");
    assert_eq!(outbox::pending(&mut reader, Revision(0), 10).await.expect("reads").len(), 1);
}

pub(crate) async fn a_failed_write_leaves_no_trace(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let mut ctx = kit::ctx();
    ctx.event = Some(kit::EVENT);
    store
        .write(&ctx, |tx| {
            Box::pin(async move {
                let group = rows::insert(tx, &kit::group(kit::root(1), "org")).await?;
                tx.announce(Noun::Group, &group.uid, Op::Created, &group).await?;
                Err::<(), _>(Error::field("name", "is refused"))
            })
        })
        .await
        .expect_err("fails");
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(audit::newest(&mut reader, 10).await.expect("reads"), []);
    assert_eq!(outbox::pending(&mut reader, Revision(0), 10).await.expect("reads"), []);
    drop(reader);
    assert_eq!(feed(&store, Revision(0)).await, []);
}

pub(crate) async fn actors_are_named(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let upstream = Upstream::new("https://issuer.example".into(), "someone".into(), "provost".into());
    let caller = Caller {
        identity: kit::root(42),
        operator: false,
        issuer: "https://provost.example".into(),
        audience: vec![],
        issued_at: kit::NOW,
        expires_at: kit::NOW.plus_seconds(3600),
        token_id: "token-1".into(),
        upstream: Some(upstream.clone()),
        email: None,
        narrowing: Narrowing::default(),
    };
    let mut ctx = kit::ctx();
    ctx.event = Some(kit::EVENT);
    for (actor, n) in [(Actor::Anonymous, 1), (Actor::System("start"), 2), (Actor::Caller(Arc::new(caller)), 3)] {
        ctx.actor = actor;
        create(&store, &ctx, kit::group(kit::root(n), "org")).await;
    }
    let mut reader = store.reader().await.expect("reads");
    let entries = audit::newest(&mut reader, 10).await.expect("reads");
    let identity = kit::root(42).to_string();
    let actors: Vec<_> = entries.iter().map(|entry| (entry.actor.as_str(), entry.token_id.as_deref())).collect();
    assert_eq!(actors, [(identity.as_str(), Some("token-1")), ("system:start", None), ("anonymous", None)]);
    assert_eq!(entries[0].upstream, Some(upstream.clone()));
    let events = outbox::pending(&mut reader, Revision(0), 10).await.expect("reads");
    assert_eq!((events[2].actor.as_str(), &events[2].upstream), (identity.as_str(), &Some(upstream)));
}
