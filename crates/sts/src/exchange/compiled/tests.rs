use std::{
    collections::BTreeMap,
    sync::mpsc::{Sender, channel},
    time::Duration,
};

use domain::{
    Description, Kind, Name, Revision, Timestamp,
    iam::identity::{ClaimMatch, IdentitySpec},
};

use futures::future::join_all;
use tokio::time::sleep;

use super::*;
use crate::claims::CompiledClaimMatch;

fn identity(uid: &str, subject: Matcher) -> Identity {
    let issuer = Matcher::Literal("https://issuer.example".to_owned());
    let rule = ClaimMatch { issuer, subject, audience: None, claims: BTreeMap::default(), claim_patterns: BTreeMap::default() };
    let spec = IdentitySpec {
        name: Name::trusted("ci"),
        description: Description::default(),
        company: String::new(),
        relationship: Relationship::ClaimMatch(rule),
    };
    let (now, uid) = (Timestamp(0), uid.parse().unwrap());
    let (created_at, updated_at, last_seen_at) = (now, now, now);
    let revision = Revision(1);
    Identity {
        uid,
        spec,
        email: None,
        email_unverified: None,
        last_seen_at,
        created_at,
        updated_at,
        relationship_revision: 1,
        revision,
    }
}

const ISSUER: &str = "https://issuer.example";

fn pattern(text: &str) -> Matcher {
    Matcher::Pattern(text.to_owned())
}

fn with_issuer(mut identity: Identity, issuer: &str) -> Identity {
    if let Relationship::ClaimMatch(rule) = &mut identity.spec.relationship {
        rule.issuer = pattern(issuer);
    }
    identity
}

fn stranger() -> Party {
    Party::stranger(None)
}

fn uid(number: u64) -> String {
    format!("{}/{number:016x}", "a".repeat(40))
}

fn cache_of(memory: u64) -> CompiledCache {
    let mut settings = Settings::new("https://api.example");
    settings.limits.compiled_memory = memory;
    CompiledCache::new(&settings, Workers::new(&settings))
}

/// Takes a thread of the organization of `uid` until the sender is gone.
fn busy(cache: &CompiledCache) -> Sender<()> {
    let (end, until) = channel::<()>();
    let organization = Party::organization(&uid(0).parse().unwrap());
    let workers = cache.workers.clone();
    let mut work = async move { workers.run(&organization, move || _ = until.recv()).await }.boxed();
    assert!((&mut work).now_or_never().is_none(), "it has begun");
    end
}

/// Where the compiled rule is in memory.
async fn place(cache: &CompiledCache, identity: &Identity) -> *const CompiledClaimMatch {
    match cache.whole(identity).await {
        Ok(Ready::Whole(Compiled::ClaimMatch(rule))) => Arc::as_ptr(&rule),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn patterns_are_remembered_and_literals_leave_nothing_behind() {
    let cache = cache_of(64 << 20);
    for number in 0..20 {
        let literal = identity(&uid(2 * number), Matcher::Literal("build".to_owned()));
        let pattern = identity(&uid(2 * number + 1), pattern("build-.*"));
        for identity in [&literal, &pattern, &pattern] {
            assert!(cache.whole(identity).await.unwrap().admits_issuer(ISSUER));
        }
    }
    assert_eq!(cache.shared.known.len(), 20);
}

#[tokio::test]
async fn a_changed_relationship_is_compiled_anew() {
    let cache = cache_of(64 << 20);
    let first = place(&cache, &identity(&uid(1), pattern("a.*"))).await;
    assert_eq!(place(&cache, &identity(&uid(1), pattern("a.*"))).await, first);
    assert_ne!(place(&cache, &identity(&uid(1), pattern("b.*"))).await, first);
    let error = cache.whole(&identity(&uid(1), pattern("("))).await.expect_err("no pattern");
    assert_eq!(error.kind(), Kind::PermissionDenied);
}

#[tokio::test]
async fn no_pattern_but_the_issuers_is_compiled_for_a_token_that_nobody_has_verified() {
    let cache = cache_of(64 << 20);
    let by_literal = identity(&uid(1), pattern("a.*"));
    assert!(cache.admitting(&by_literal, "https://other.example", stranger()).await.unwrap().is_none());
    let ready = cache.admitting(&by_literal, ISSUER, stranger()).await.unwrap().expect("its issuer");
    assert!(matches!(ready, Ready::Issuer(_)), "{ready:?}");
    assert_eq!(cache.shared.known.len(), 0);
    let claims = Map::from_iter([("iss".to_owned(), ISSUER.into()), ("sub".to_owned(), "a".into())]);
    assert!(ready.admit(&claims, &[]).is_err(), "half a rule accepts nobody");

    let by_pattern = with_issuer(identity(&uid(2), pattern("(")), r"https://[a-z]+\.example\.com");
    for issuer in ["https://a.example.com", "https://b.example.com"] {
        assert!(cache.admitting(&by_pattern, issuer, stranger()).await.unwrap().is_some());
    }
    assert!(cache.admitting(&by_pattern, "https://example.org", stranger()).await.unwrap().is_none());
    assert_eq!(cache.shared.known.len(), 1);
    cache.whole(&by_pattern).await.expect_err("its subject is no pattern");

    // Once all of it is ready, all of it is found at once.
    _ = place(&cache, &by_literal).await;
    let ready = cache.admitting(&by_literal, ISSUER, stranger()).await.unwrap();
    assert!(matches!(ready, Some(Ready::Whole(_))), "{ready:?}");
}

#[tokio::test]
async fn what_lands_late_replaces_no_more_than_it_is() {
    let cache = cache_of(64 << 20);
    let identity = with_issuer(identity(&uid(1), pattern("a.*")), r"https://[a-z]+\.example\.com");
    let relationship = &identity.spec.relationship;
    let land = |part: Part, relationship: &Relationship| {
        let compiled = compile(relationship, part, cache.policy).map_err(Refusal::Invalid);
        let key = FlightKey { uid: identity.uid.clone(), part, party: stranger() };
        cache.shared.land(&key, relationship, &compiled);
    };
    let known = |relationship: &Relationship| {
        cache.shared.remembered(&identity.uid, relationship, Part::Issuer).map(|ready| ready.part())
    };
    land(Part::Issuer, relationship);
    assert!(known(relationship) == Some(Part::Issuer));
    let whole = place(&cache, &identity).await;
    land(Part::Issuer, relationship);
    land(Part::Whole, relationship);
    assert_eq!(place(&cache, &identity).await, whole, "it is compiled once");
    // What has changed is another matter.
    let changed = with_issuer(identity.clone(), r"https://[0-9]+\.example\.com");
    land(Part::Issuer, &changed.spec.relationship);
    assert!(known(relationship).is_none() && known(&changed.spec.relationship) == Some(Part::Issuer));
}

#[tokio::test]
async fn tokens_that_nobody_has_verified_take_no_turn_of_the_organization() {
    let mut settings = Settings::new("https://api.example");
    settings.limits.work_waiting = 2;
    let cache = CompiledCache::new(&settings, Workers::new(&settings));
    let costly = r"https://[a-z]+\.example\.com/(?:.{1,40}x){4}";
    let issuer = "https://a.example.com/".to_owned() + &"ab".repeat(50);
    let of = |number: u64| with_issuer(identity(&uid(number), pattern("b")), costly);
    let steps = compile(&of(1).spec.relationship, Part::Issuer, cache.policy).unwrap().issuer_steps(&issuer);
    assert!((AT_ONCE..MATCHING).contains(&steps), "{steps}");
    // The first time it is compiled, the second time it is there to be matched; more ask for both than may wait.
    for round in 0..2 {
        let (cache, issuer, target) = (&cache, &issuer, &of(1));
        let others: Vec<_> = (10..20).map(of).collect();
        let crowd = (0..10).map(|_| target).chain(&others).map(|identity| cache.admitting(identity, issuer, stranger()));
        let meanwhile = async {
            cache.whole(&identity(&uid(30 + round), pattern("(?:.{1,40}x){4}"))).await.expect("verified tokens have turns");
            let elsewhere = Party::stranger(Some([192, 0, 2, 1].into()));
            assert!(cache.admitting(target, issuer, elsewhere).await.expect("so has another address").is_none());
        };
        let (crowd, ()) = futures::future::join(join_all(crowd), meanwhile).await;
        let refused = crowd.into_iter().filter_map(Result::err).collect::<Vec<_>>();
        assert!(!refused.is_empty() && refused.iter().all(|error| error.rule() == Rule::OrganizationBusy), "{refused:?}");
    }
}

#[test]
fn all_who_may_wait_are_done_before_they_have_waited_too_long() {
    let limits = crate::settings::Limits::default();
    assert!(limits.work_timeout > Duration::from_nanos(MATCHING) * u32::try_from(limits.work_waiting).unwrap());
}

#[tokio::test]
async fn what_is_dear_is_compiled_once_and_elsewhere_whoever_goes() {
    let cache = cache_of(64 << 20);
    let dear = identity(&uid(1), pattern(".{1,200}"));
    let busy = busy(&cache);
    assert!(cache.whole(&dear).now_or_never().is_none(), "it was compiled where requests are answered");
    drop(busy);
    while cache.shared.known.len() == 0 {
        sleep(Duration::from_millis(1)).await;
    }
    let other = identity(&uid(2), pattern(".{1,200}"));
    let places = join_all((0..10).map(|_| async { place(&cache, &other).await as usize })).await;
    assert!(places.iter().all(|place| *place == places[0]), "{places:?}");
}

#[tokio::test]
async fn a_crowd_of_costly_rules_delays_no_other_organization() {
    let mut settings = Settings::new("https://api.example");
    settings.limits.work_threads = 2;
    let cache = CompiledCache::new(&settings, Workers::new(&settings));
    let of = |organization: &str, number: u64| format!("{}/{number:016x}", organization.repeat(40));
    let crowd: Vec<_> = (0..45).map(|number| identity(&of("a", number), pattern("(?:.{1,40}x){4}"))).collect();
    let mut crowd = Box::pin(join_all(crowd.iter().map(|identity| cache.whole(identity))));
    let busy = busy(&cache);
    assert!((&mut crowd).now_or_never().is_none());
    // The crowd has one thread at a time, and that is taken.
    cache.whole(&identity(&of("c", 1), pattern("build-.*"))).await.unwrap();
    assert_eq!(cache.shared.known.len(), 1);
    drop(busy);
    assert!(crowd.await.iter().all(Result::is_ok));
}

#[tokio::test]
async fn long_claims_are_matched_elsewhere_and_too_long_ones_not_at_all() {
    let cache = cache_of(64 << 20);
    let dear = identity(&uid(1), pattern("(?:.*a[ab]{120}.*){8}[ab]*"));
    let ready = cache.whole(&dear).await.unwrap();
    let busy = busy(&cache);
    let claims = |length: usize| {
        let subject = format!("c{}", "ab".repeat(length / 2));
        Map::from_iter([("iss".to_owned(), ISSUER.into()), ("sub".to_owned(), subject.into()), ("aud".to_owned(), "us".into())])
    };
    let admit = |length: usize| {
        let (cache, dear, ready) = (&cache, &dear, ready.clone());
        async move { cache.admit(dear, ready, &claims(length), &["us".to_owned()]).await }
    };
    assert!(ready.steps(&claims(2)) < AT_ONCE && ready.steps(&claims(100)) > AT_ONCE);
    assert!(admit(2).now_or_never().is_some(), "a short claim is matched at once");
    assert!(admit(100).now_or_never().is_none(), "a long one was matched where requests are answered");
    drop(busy);
    assert_eq!(admit(100).await.unwrap(), Err(Mismatch("sub".to_owned())));
    let error = admit(12_000).await.expect_err("too long");
    assert!(error.rule() == Rule::ClaimMismatch && error.message().contains("too long for the patterns"), "{error}");
}

#[tokio::test]
async fn what_is_remembered_counts_for_the_memory_that_it_takes() {
    let cache = cache_of(4 << 20);
    let weigh = async |number: u64, text: &str| match cache.whole(&identity(&uid(number), pattern(text))).await {
        Ok(Ready::Whole(compiled)) => compiled.memory(),
        other => panic!("{other:?}"),
    };
    let (small, large) = (weigh(0, "build-.*").await, weigh(1, ".{1,200}").await);
    // What its searches may keep, and as much again at most.
    assert!((128 << 10..256 << 10).contains(&small), "{small}");
    assert!((small + (128 << 10)..2 << 20).contains(&large), "{large}");
    for number in 2..100 {
        assert_eq!(weigh(number, ".{1,200}").await, large);
    }
    let (entries, weight) = (cache.shared.known.len(), cache.shared.known.bytes());
    assert!(entries > 1 && weight > entries as u64 * large as u64 && weight <= 4 << 20, "{entries} take {weight}");
}
