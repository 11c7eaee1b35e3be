//! Compiled relationships, remembered where compiling costs more than remembering: those with patterns or pasted keys. The
//! others are compiled for each token, so that identities which come and go leave nothing behind.
//!
//! What is dear is compiled by threads of its own, once, and no more of it than a token has earned: whoever comes with any token
//! at all gets no further than the issuer and pasted keys, and that in the share of strangers; the patterns are for tokens that
//! the issuer has signed, in the share of the identity's organization.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::{
    Error, Rule, Uidp, Violations,
    iam::{
        Identity,
        identity::{Matcher, Relationship},
    },
};
use futures::{
    FutureExt as _,
    future::{BoxFuture, Shared, ready},
};
use prometheus_client::registry::Registry;
use serde_json::{Map, Value};

use super::remembered::{Remembered, RememberedBytes};
use crate::{
    Settings, Workers,
    claims::{Accepted, Compiled, IssuerRule, MAX_TEXT, Mismatch, UrlPolicy, is_dear},
    tasks::Tasks,
    workers::Party,
};

/// Steps of matching, of about a nanosecond each, that are taken where requests are answered. Ordinary patterns and claims take
/// some hundred thousand at most, as they are counted, and in truth a hundredth of that.
const AT_ONCE: u64 = 2_000_000;
/// Steps that the claims of one token may take: some forty milliseconds of a thread as measured, so that all who may wait of one
/// organization are done before the last of them has waited for too long.
const MATCHING: u64 = 50_000_000;

/// The compiled form of identities' relationships. Cheap to clone.
#[derive(Clone)]
pub(super) struct CompiledCache {
    shared: Arc<State>,
    workers: Workers,
    /// They end with the last clone.
    tasks: Arc<Tasks>,
    policy: UrlPolicy,
}

struct State {
    known: Remembered<Arc<Entry>>,
    /// What is being compiled, so that nothing is compiled twice at once for one party.
    flights: Mutex<HashMap<FlightKey, Flight>>,
}

struct Entry {
    /// Compared at each use: an identity may have been changed, or deleted and made again.
    relationship: Relationship,
    ready: Ready,
}

/// What is compiled for whom. Nobody waits for the turn of another party, which may have a crowd before it.
#[derive(Clone, PartialEq, Eq, Hash)]
struct FlightKey {
    uid: Uidp,
    part: Part,
    party: Party,
}

/// A relationship that is being compiled.
struct Flight {
    relationship: Relationship,
    outcome: Shared<BoxFuture<'static, Outcome>>,
}

/// What comes of compiling, for all who wait for it.
type Outcome = Result<Ready, Refusal>;

/// Why nothing comes of it.
#[derive(Clone, Debug)]
enum Refusal {
    /// The relationship is not valid any more.
    Invalid(Violations),
    /// There was no turn for it.
    Busy(Arc<Error>),
}

/// As much of a relationship as was needed so far.
#[derive(Clone, Debug)]
pub(super) enum Ready {
    /// Which issuers a claim rule admits.
    Issuer(Arc<IssuerRule>),
    /// All of it.
    Whole(Compiled),
}

/// What is to be ready.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Issuer,
    Whole,
}

impl Ready {
    fn part(&self) -> Part {
        match self {
            Self::Issuer(_) => Part::Issuer,
            Self::Whole(_) => Part::Whole,
        }
    }

    fn admits_issuer(&self, issuer: &str) -> bool {
        match self {
            Self::Issuer(rule) => rule.admits(issuer),
            Self::Whole(compiled) => compiled.admits_issuer(issuer),
        }
    }

    fn issuer_steps(&self, issuer: &str) -> u64 {
        match self {
            Self::Issuer(rule) => rule.steps(issuer),
            Self::Whole(compiled) => compiled.issuer_steps(issuer),
        }
    }

    fn steps(&self, claims: &Map<String, Value>) -> u64 {
        match self {
            Self::Issuer(_) => 0,
            Self::Whole(compiled) => compiled.steps(claims),
        }
    }

    /// Matches verified claims. Only the whole of a relationship accepts anybody.
    fn admit(&self, claims: &Map<String, Value>, default_audiences: &[String]) -> Result<Accepted, Mismatch> {
        match self {
            Self::Issuer(_) => Err(Mismatch("iss".to_owned())),
            Self::Whole(compiled) => compiled.admit(claims, default_audiences),
        }
    }

    /// What it takes in memory, remembered.
    fn memory(&self) -> u64 {
        let ready = match self {
            Self::Issuer(rule) => rule.memory(),
            Self::Whole(compiled) => compiled.memory(),
        };
        (size_of::<Entry>() + ready) as u64
    }
}

impl CompiledCache {
    pub(super) fn new(settings: &Settings, workers: Workers) -> Self {
        let state = State { known: Remembered::new(settings.limits.compiled_memory), flights: Mutex::default() };
        Self { shared: Arc::new(state), workers, tasks: Arc::default(), policy: settings.url_policy() }
    }

    /// Adds what is counted here to `registry`.
    pub(super) fn register(&self, registry: &mut Registry) {
        let shared = Arc::clone(&self.shared);
        registry.register_collector(Box::new(RememberedBytes(move || shared.known.bytes())));
    }

    /// What is needed of the identity's relationship to verify a token of `issuer`; `None` when it accepts none. Nobody has
    /// verified who says so, and what that takes is the sender's.
    ///
    /// # Errors
    /// Permission denied when it is not valid under the settings of now; resource exhausted when too much of the sender waits
    /// already.
    pub(super) async fn admitting(&self, identity: &Identity, issuer: &str, sender: Party) -> Result<Option<Ready>, Error> {
        // Longer than any that a relationship may name: it is not looked at.
        if issuer.len() > MAX_TEXT {
            return Ok(None);
        }
        let part = match &identity.spec.relationship {
            Relationship::StaticKeys(keys) if keys.issuer != issuer => return Ok(None),
            Relationship::ClaimMatch(_) => Part::Issuer,
            _ => Part::Whole,
        };
        let ready = self.get(identity, part, &sender).await?;
        let is_admitted = match ready.issuer_steps(issuer) {
            MATCHING.. => false,
            AT_ONCE.. => {
                let (ready, issuer) = (ready.clone(), issuer.to_owned());
                self.workers.run(&sender, move || ready.admits_issuer(&issuer)).await?
            }
            _ => ready.admits_issuer(issuer),
        };
        Ok(is_admitted.then_some(ready))
    }

    /// The whole of the identity's relationship, for a verified token.
    ///
    /// # Errors
    /// Permission denied when it is not valid under the settings of now; resource exhausted when too much of its organization
    /// waits already.
    pub(super) async fn whole(&self, identity: &Identity) -> Result<Ready, Error> {
        self.get(identity, Part::Whole, &Party::organization(&identity.uid)).await
    }

    /// Matches verified claims by what is ready of the identity's relationship.
    ///
    /// # Errors
    /// Permission denied when the claims are too long for its patterns; resource exhausted when too much of its organization
    /// waits already.
    pub(super) async fn admit(
        &self,
        identity: &Identity,
        ready: Ready,
        claims: &Map<String, Value>,
        default_audiences: &[String],
    ) -> Result<Result<Accepted, Mismatch>, Error> {
        match ready.steps(claims) {
            MATCHING.. => {
                let message = format!(
                    "the token's claims are too long for the patterns of identity {}; make the patterns simpler, or the claims shorter",
                    identity.uid
                );
                Err(Error::denied(Rule::ClaimMismatch, message))
            }
            AT_ONCE.. => {
                let (claims, default_audiences) = (claims.clone(), default_audiences.to_vec());
                let organization = Party::organization(&identity.uid);
                self.workers.run(&organization, move || ready.admit(&claims, &default_audiences)).await
            }
            _ => Ok(ready.admit(claims, default_audiences)),
        }
    }

    /// At least this part of the identity's relationship, compiled in the name of `party` where that is dear.
    async fn get(&self, identity: &Identity, part: Part, party: &Party) -> Result<Ready, Error> {
        let relationship = &identity.spec.relationship;
        if !is_dear(relationship) {
            return compile(relationship, Part::Whole, self.policy).map_err(|why| outdated(identity, why));
        }
        if let Some(ready) = self.shared.remembered(&identity.uid, relationship, part) {
            return Ok(ready);
        }
        if let (Part::Issuer, Relationship::ClaimMatch(rule)) = (part, relationship)
            && matches!(rule.issuer, Matcher::Literal(_))
        {
            return compile(relationship, part, self.policy).map_err(|why| outdated(identity, why));
        }
        self.compiling(identity, part, party).await.map_err(|refusal| match refusal {
            Refusal::Invalid(why) => outdated(identity, why),
            Refusal::Busy(error) => {
                let again = Error::new(error.kind(), error.rule(), error.message());
                error.details().iter().cloned().fold(again, Error::with).because(error)
            }
        })
    }

    /// Begins to compile this part, unless that has begun. It goes on when who asked has gone, and is remembered all the same.
    fn compiling(&self, identity: &Identity, part: Part, party: &Party) -> Shared<BoxFuture<'static, Outcome>> {
        let relationship = &identity.spec.relationship;
        let key = FlightKey { uid: identity.uid.clone(), part, party: party.clone() };
        let mut flights = self.shared.flights();
        if let Some(flight) = flights.get(&key).filter(|flight| flight.relationship == *relationship) {
            return flight.outcome.clone();
        }
        // It may have landed just now.
        if let Some(known) = self.shared.remembered(&key.uid, relationship, part) {
            return ready(Ok(known)).boxed().shared();
        }
        let (shared, workers, policy) = (Arc::clone(&self.shared), self.workers.clone(), self.policy);
        let (flight, wanted) = (key.clone(), relationship.clone());
        let begun = self.tasks.begin(async move {
            let compiled = {
                let (shared, uid, wanted) = (Arc::clone(&shared), flight.uid.clone(), wanted.clone());
                // Another party's may have landed before its turn came.
                let work = move || shared.remembered(&uid, &wanted, part).map_or_else(|| compile(&wanted, part, policy), Ok);
                workers.run(&flight.party, work).await
            };
            let outcome = match compiled {
                Ok(compiled) => compiled.map_err(Refusal::Invalid),
                Err(error) => Err(Refusal::Busy(Arc::new(error))),
            };
            shared.land(&flight, &wanted, &outcome);
            outcome
        });
        let outcome =
            begun.map(|outcome| outcome.unwrap_or_else(|stopped| Err(Refusal::Busy(Arc::new(Error::internal(stopped))))));
        let outcome = outcome.boxed().shared();
        flights.insert(key, Flight { relationship: relationship.clone(), outcome: outcome.clone() });
        outcome
    }
}

impl State {
    fn flights(&self) -> MutexGuard<'_, HashMap<FlightKey, Flight>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// At least this part of the relationship, if that is what is remembered of the identity.
    fn remembered(&self, uid: &Uidp, relationship: &Relationship, part: Part) -> Option<Ready> {
        let entry = self.known.get(uid).filter(|entry| entry.relationship == *relationship)?;
        (part == Part::Issuer || entry.ready.part() == Part::Whole).then(|| entry.ready.clone())
    }

    /// Remembers what was compiled, unless as much of it is remembered already, and that it is compiled no more.
    fn land(&self, key: &FlightKey, relationship: &Relationship, outcome: &Outcome) {
        // INVARIANT: held while looking and remembering, so that nothing is replaced by less of the same.
        let mut flights = self.flights();
        if let Ok(ready) = outcome
            && self.remembered(&key.uid, relationship, ready.part()).is_none()
        {
            let entry = Entry { relationship: relationship.clone(), ready: ready.clone() };
            self.known.insert(key.uid.clone(), Arc::new(entry), ready.memory());
        }
        if flights.get(key).is_some_and(|flight| flight.relationship == *relationship) {
            flights.remove(key);
        }
    }
}

/// Compiles this part of the relationship; otherwise what is wrong with it.
fn compile(relationship: &Relationship, part: Part, policy: UrlPolicy) -> Result<Ready, Violations> {
    let mut violations = Violations::default();
    let ready = match (part, relationship) {
        (Part::Issuer, Relationship::ClaimMatch(rule)) => {
            IssuerRule::compile(rule, policy, &mut violations).map(|rule| Ready::Issuer(Arc::new(rule)))
        }
        _ => Compiled::compile(relationship, policy, &mut violations).map(Ready::Whole),
    };
    ready.ok_or(violations)
}

/// A relationship that was valid when it was stored.
fn outdated(identity: &Identity, why: Violations) -> Error {
    let message = format!(
        "identity {} does not follow this server's rules for issuers any more; an administrator has to update it",
        identity.uid
    );
    let error = Error::denied(Rule::IssuerNotAllowed, message);
    match why.check() {
        Ok(()) => error,
        Err(cause) => error.because(cause),
    }
}

impl fmt::Debug for CompiledCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledCache").field("known", &self.shared.known.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
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
        let rule =
            ClaimMatch { issuer, subject, audience: None, claims: BTreeMap::default(), claim_patterns: BTreeMap::default() };
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
        let dear = identity(&uid(1), pattern("(?:.*a[ab]{300}.*){8}[ab]*"));
        let ready = cache.whole(&dear).await.unwrap();
        let busy = busy(&cache);
        let claims = |length: usize| {
            let subject = format!("c{}", "ab".repeat(length / 2));
            Map::from_iter([
                ("iss".to_owned(), ISSUER.into()),
                ("sub".to_owned(), subject.into()),
                ("aud".to_owned(), "us".into()),
            ])
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
}
