//! Compiled relationships, remembered where compiling costs more than remembering: those with patterns or pasted keys. The
//! others are compiled for each token, so that identities which come and go leave nothing behind.
//!
//! What is dear is compiled where no request is answered, one at a time, and no more of it than a token has earned: whoever
//! comes with any token at all gets no further than the issuer; the patterns are for tokens that the issuer has signed.

use std::{fmt, sync::Arc};

use domain::{
    Error, Rule, Uidp, Violations,
    iam::{
        Identity,
        identity::{Matcher, Relationship},
    },
};
use quick_cache::Weighter;
use serde_json::{Map, Value};
use tokio::{sync::Mutex, task::spawn_blocking};

use crate::{
    Settings,
    bounded::{Cache, cache},
    claims::{Accepted, Compiled, IssuerRule, Mismatch, UrlPolicy},
};

/// The compiled form of identities' relationships. Cheap to clone.
#[derive(Clone)]
pub(super) struct CompiledCache {
    known: Arc<Cache<Uidp, Arc<Entry>, Weight>>,
    /// Held while something is compiled: all of that takes one processor at most, and nothing is compiled twice.
    turn: Arc<Mutex<()>>,
    policy: UrlPolicy,
}

struct Entry {
    /// Compared at each use: an identity may have been changed, or deleted and made again.
    relationship: Relationship,
    ready: Ready,
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Issuer,
    Whole,
}

/// What an entry may come to take.
#[derive(Clone)]
struct Weight;

impl Weighter<Uidp, Arc<Entry>> for Weight {
    fn weight(&self, _: &Uidp, entry: &Arc<Entry>) -> u64 {
        let ready = match &entry.ready {
            Ready::Issuer(rule) => rule.memory(),
            Ready::Whole(compiled) => compiled.memory(),
        };
        (size_of::<Entry>() + ready) as u64
    }
}

impl Ready {
    fn admits_issuer(&self, issuer: &str) -> bool {
        match self {
            Self::Issuer(rule) => rule.admits(issuer),
            Self::Whole(compiled) => compiled.admits_issuer(issuer),
        }
    }

    /// Matches verified claims. Only the whole of a relationship accepts anybody.
    pub(super) fn admit(&self, claims: &Map<String, Value>, default_audiences: &[String]) -> Result<Accepted, Mismatch> {
        match self {
            Self::Issuer(_) => Err(Mismatch("iss".to_owned())),
            Self::Whole(compiled) => compiled.admit(claims, default_audiences),
        }
    }
}

impl CompiledCache {
    pub(super) fn new(settings: &Settings) -> Self {
        let known = Arc::new(cache(settings.limits.compiled_memory, Weight));
        Self { known, turn: Arc::default(), policy: settings.url_policy() }
    }

    /// What is needed of the identity's relationship to verify a token of `issuer`; `None` when it accepts none.
    ///
    /// # Errors
    /// Permission denied when it is not valid under the settings of now.
    pub(super) async fn admitting(&self, identity: &Identity, issuer: &str) -> Result<Option<Ready>, Error> {
        let part = match &identity.spec.relationship {
            Relationship::StaticKeys(keys) if keys.issuer != issuer => return Ok(None),
            Relationship::ClaimMatch(_) => Part::Issuer,
            _ => Part::Whole,
        };
        let ready = self.get(identity, part).await?;
        Ok(ready.admits_issuer(issuer).then_some(ready))
    }

    /// The whole of the identity's relationship.
    ///
    /// # Errors
    /// Permission denied when it is not valid under the settings of now.
    pub(super) async fn whole(&self, identity: &Identity) -> Result<Ready, Error> {
        self.get(identity, Part::Whole).await
    }

    /// At least this part of the identity's relationship.
    async fn get(&self, identity: &Identity, part: Part) -> Result<Ready, Error> {
        let relationship = &identity.spec.relationship;
        if !is_dear(relationship) {
            return compile(relationship, Part::Whole, self.policy).map_err(|why| outdated(identity, why));
        }
        if let Some(ready) = self.remembered(identity, part) {
            return Ok(ready);
        }
        if let (Part::Issuer, Relationship::ClaimMatch(rule)) = (part, relationship)
            && matches!(rule.issuer, Matcher::Literal(_))
        {
            return compile(relationship, part, self.policy).map_err(|why| outdated(identity, why));
        }
        let turn = Arc::clone(&self.turn).lock_owned().await;
        if let Some(ready) = self.remembered(identity, part) {
            return Ok(ready);
        }
        let (known, policy) = (Arc::clone(&self.known), self.policy);
        let (uid, relationship) = (identity.uid.clone(), relationship.clone());
        // Goes on when who asked has gone, and is remembered all the same.
        let compiling = spawn_blocking(move || {
            let _turn = turn;
            let ready = compile(&relationship, part, policy)?;
            known.insert(uid, Arc::new(Entry { relationship, ready: ready.clone() }));
            Ok(ready)
        });
        compiling.await.map_err(Error::internal)?.map_err(|why| outdated(identity, why))
    }

    fn remembered(&self, identity: &Identity, part: Part) -> Option<Ready> {
        let entry = self.known.get(&identity.uid).filter(|entry| entry.relationship == identity.spec.relationship)?;
        (part == Part::Issuer || matches!(entry.ready, Ready::Whole(_))).then(|| entry.ready.clone())
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

/// Whether compiling it costs more than remembering what comes of it.
fn is_dear(relationship: &Relationship) -> bool {
    match relationship {
        Relationship::ClaimMatch(rule) => {
            let matchers = [Some(&rule.issuer), Some(&rule.subject), rule.audience.as_ref()];
            let is_pattern = |matcher: &Matcher| matches!(matcher, Matcher::Pattern(_));
            !rule.claim_patterns.is_empty() || matchers.into_iter().flatten().any(is_pattern)
        }
        Relationship::StaticKeys(_) => true,
        Relationship::AwsIdentity(_) | Relationship::ServicePrincipal { .. } => false,
    }
}

impl fmt::Debug for CompiledCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledCache").field("known", &self.known.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, time::Duration};

    use domain::{
        Description, Kind, Name, Revision, Timestamp,
        iam::identity::{ClaimMatch, IdentitySpec},
    };

    use futures::future::join_all;
    use tokio::time::{sleep, timeout};

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

    fn uid(number: u64) -> String {
        format!("{}/{number:016x}", "a".repeat(40))
    }

    fn cache_of(memory: u64) -> CompiledCache {
        let mut settings = Settings::new("https://api.example");
        settings.limits.compiled_memory = memory;
        CompiledCache::new(&settings)
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
        assert_eq!(cache.known.len(), 20);
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
        assert!(cache.admitting(&by_literal, "https://other.example").await.unwrap().is_none());
        let ready = cache.admitting(&by_literal, ISSUER).await.unwrap().expect("its issuer");
        assert!(matches!(ready, Ready::Issuer(_)), "{ready:?}");
        assert_eq!(cache.known.len(), 0);
        let claims = Map::from_iter([("iss".to_owned(), ISSUER.into()), ("sub".to_owned(), "a".into())]);
        assert!(ready.admit(&claims, &[]).is_err(), "half a rule accepts nobody");

        let mut by_pattern = identity(&uid(2), pattern("("));
        if let Relationship::ClaimMatch(rule) = &mut by_pattern.spec.relationship {
            rule.issuer = pattern(r"https://[a-z]+\.example\.com");
        }
        for issuer in ["https://a.example.com", "https://b.example.com"] {
            assert!(cache.admitting(&by_pattern, issuer).await.unwrap().is_some());
        }
        assert!(cache.admitting(&by_pattern, "https://example.org").await.unwrap().is_none());
        assert_eq!(cache.known.len(), 1);
        cache.whole(&by_pattern).await.expect_err("its subject is no pattern");

        // Once all of it is ready, all of it is found at once.
        _ = place(&cache, &by_literal).await;
        let ready = cache.admitting(&by_literal, ISSUER).await.unwrap();
        assert!(matches!(ready, Some(Ready::Whole(_))), "{ready:?}");
    }

    #[tokio::test]
    async fn what_is_dear_is_compiled_once_and_elsewhere_whoever_goes() {
        let cache = cache_of(64 << 20);
        let dear = identity(&uid(1), pattern(".{1,200}"));
        let gone = timeout(Duration::ZERO, cache.whole(&dear)).await;
        assert!(gone.is_err(), "it was compiled where requests are answered");
        while cache.known.is_empty() {
            sleep(Duration::from_millis(1)).await;
        }
        let other = identity(&uid(2), pattern(".{1,200}"));
        let places = join_all((0..10).map(|_| async { place(&cache, &other).await as usize })).await;
        assert!(places.iter().all(|place| *place == places[0]), "{places:?}");
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
        let (entries, weight) = (cache.known.len(), cache.known.weight());
        assert!(entries > 1 && weight > entries as u64 * large as u64 && weight <= 4 << 20, "{entries} take {weight}");
    }
}
