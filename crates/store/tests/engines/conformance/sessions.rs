//! Sessions of users.

use domain::{CapabilitySet, Narrowing, Revision, Rule, Timestamp, iam::Identity};
use store::{
    Store, audit, rows,
    sessions::{self, Digest, Room, Session, Turn, Turned},
};

use super::{Engine, kit};

/// Seconds for which a token that was replaced is forgiven.
const GRACE: i64 = 60;

async fn user(store: &Store, n: u64) -> Identity {
    kit::add(store, kit::identity(kit::root(n), "ann")).await
}

async fn start_at(store: &Store, session: &Session, seconds: i64, per_user: u32) {
    let now = kit::NOW.plus_seconds(seconds);
    let session = Session { created_at: now, used_at: now, ..session.clone() };
    let room = Room { per_user, used_since: now.plus_seconds(-1000) };
    store.start_session(&kit::at(seconds), session, room).await.expect("begins");
}

async fn start(store: &Store, session: &Session) {
    start_at(store, session, 0, 20).await;
}

async fn find(store: &Store, session: &Session) -> Option<Session> {
    sessions::get(&mut store.reader().await.expect("reads"), &session.uid).await.expect("reads")
}

async fn turn(store: &Store, session: &Session, seconds: i64, presented: u8, next: u8) -> Turned {
    let digest = |byte: u8| -> Digest { [byte; 32] };
    let forgiven_since = kit::NOW.plus_seconds(seconds - GRACE);
    let turn = Turn { presented: digest(presented), next: digest(next), forgiven_since };
    store.turn_session(&kit::at(seconds), session, turn).await.expect("is answered")
}

fn since(seconds: i64) -> Turned {
    Turned::Next(kit::NOW.plus_seconds(seconds))
}

pub(crate) async fn a_session_is_kept_and_renewed(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let user = user(&store, 7).await;
    let (scopes, capabilities) = (Some(vec![kit::child(&kit::root(1), 2)]), Some(CapabilitySet::from_names(["groups.list"])));
    let whole = Session {
        provider: Some(kit::child(&kit::root(1), 3)),
        email: Some("ann@example.com".to_owned()),
        narrowing: Narrowing { scopes, capabilities },
        ..kit::session(2, &user, 9)
    };
    let plain = kit::session(1, &user, 1);
    for session in [&plain, &whole] {
        start(&store, session).await;
        assert_eq!(find(&store, session).await.as_ref(), Some(session));
    }
    assert_eq!(turn(&store, &plain, 10, 1, 2).await, since(10));
    let renewed = Session { digest: [2; 32], used_at: kit::NOW.plus_seconds(10), ..plain.clone() };
    assert_eq!(find(&store, &plain).await, Some(renewed));
    assert_eq!(
        turn(&store, &plain, 40, 1, 2).await,
        since(10),
        "whoever has not seen the answer asks again, and changes nothing"
    );
    assert_eq!(turn(&store, &plain, 69, 1, 2).await, since(10));
    assert_eq!(turn(&store, &plain, 69, 2, 3).await, since(69), "its successor works");
    assert_eq!(find(&store, &whole).await, Some(whole), "and nothing else has changed");
}

pub(crate) async fn a_used_token_ends_its_session(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let user = user(&store, 7).await;
    let (late, older, other) = (kit::session(1, &user, 1), kit::session(2, &user, 1), kit::session(3, &user, 1));
    for session in [&late, &older, &other] {
        start(&store, session).await;
        assert_eq!(turn(&store, session, 0, 1, 2).await, since(0));
    }
    assert_eq!(turn(&store, &late, GRACE, 1, 2).await, Turned::Reused, "a minute later");
    assert_eq!(turn(&store, &late, GRACE, 2, 3).await, Turned::Gone, "the token that was the last one, too");
    assert_eq!(turn(&store, &older, 1, 2, 3).await, since(1));
    assert_eq!(turn(&store, &older, 2, 1, 2).await, Turned::Reused, "the last but one is not forgiven");
    assert!(find(&store, &late).await.is_none() && find(&store, &older).await.is_none() && find(&store, &other).await.is_some());
    let entries = audit::newest(&mut store.reader().await.expect("reads"), 100).await.expect("reads");
    let reused: Vec<_> = entries.iter().filter(|entry| entry.outcome == Rule::RefreshTokenReused.as_str()).collect();
    assert_eq!(reused.len(), 2, "{entries:?}");
    assert_eq!((reused[1].actor.as_str(), reused[1].token_id.as_deref()), (user.uid.as_str(), Some(late.uid.as_str())));
}

pub(crate) async fn sessions_end_with_what_they_are_of(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let (ann, bea) = (user(&store, 7).await, user(&store, 8).await);
    let (of_ann, of_bea) = (kit::session(1, &ann, 1), kit::session(2, &bea, 1));
    start(&store, &of_ann).await;
    start(&store, &of_bea).await;
    let mut described = ann.clone();
    "other".clone_into(&mut described.spec.company);
    let described = update(&store, &ann, described).await;
    assert!(find(&store, &of_ann).await.is_some(), "who proves itself as before stays logged in");
    let mut other = described.clone();
    other.spec.relationship = kit::claim_match("https://other.example", "subject");
    let other = update(&store, &described, other).await;
    assert!(find(&store, &of_ann).await.is_none() && find(&store, &of_bea).await.is_some());
    start(&store, &Session { relationship_revision: 1, ..kit::session(3, &ann, 1) }).await;
    assert!(find(&store, &kit::session(3, &ann, 1)).await.is_none(), "one of before that was late has ended");
    assert_eq!(turn(&store, &kit::session(3, &ann, 1), 0, 1, 2).await, Turned::Gone);
    start(&store, &Session { relationship_revision: other.relationship_revision, ..kit::session(4, &ann, 1) }).await;
    assert!(find(&store, &kit::session(4, &ann, 1)).await.is_some());

    let gone = kit::write(&store, move |tx| Box::pin(async move { rows::delete::<Identity>(tx, &bea.uid).await })).await;
    assert!(gone.expect("goes"), "although it has a session");
    assert_eq!(turn(&store, &of_bea, 0, 1, 2).await, Turned::Gone);
    let late = store.start_session(&kit::ctx(), of_bea, Room { per_user: 20, used_since: Timestamp(0) }).await;
    late.expect_err("nobody is there");
}

pub(crate) async fn a_user_has_so_many_sessions(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let (ann, bea) = (user(&store, 7).await, user(&store, 8).await);
    let of_bea = kit::session(9, &bea, 1);
    start(&store, &of_bea).await;
    let all: Vec<_> = (1..=4).map(|n| kit::session(n, &ann, 1)).collect();
    for (session, seconds) in all.iter().zip(1..) {
        start_at(&store, session, seconds, 3).await;
    }
    let there = async || {
        let mut there = Vec::new();
        for session in &all {
            there.push(find(&store, session).await.is_some());
        }
        there
    };
    assert_eq!(there().await, [false, true, true, true], "the one that was used longest ago goes");
    assert_eq!(turn(&store, &all[1], 10, 1, 2).await, since(10));
    start_at(&store, &kit::session(5, &ann, 1), 11, 3).await;
    assert_eq!(there().await, [false, true, false, true]);
    assert!(find(&store, &of_bea).await.is_some(), "of somebody else");
    start_at(&store, &kit::session(6, &ann, 1), 1005, 20).await;
    assert_eq!(there().await, [false, true, false, false], "nobody has used the last one for too long");
    assert!(find(&store, &of_bea).await.is_none());
}

async fn update(store: &Store, from: &Identity, to: Identity) -> Identity {
    let from = from.clone();
    let to = Identity { revision: Revision(0), ..to };
    kit::write(store, move |tx| Box::pin(async move { rows::update(tx, &from, &to).await })).await.expect("written")
}
