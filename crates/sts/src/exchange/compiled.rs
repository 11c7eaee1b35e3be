//! Compiled relationships, remembered where compiling costs more than remembering: those with patterns or pasted keys. The
//! others are compiled for each token, so that identities which come and go leave nothing behind.

use std::sync::Arc;

use domain::{
    Error, Rule, Uidp, Violations,
    iam::{
        Identity,
        identity::{Matcher, Relationship},
    },
};
use moka::future::Cache;

use crate::{
    Settings,
    claims::{Compiled, UrlPolicy},
};

/// The compiled form of identities' relationships.
#[derive(Clone, Debug)]
pub(super) struct CompiledCache {
    known: Cache<Uidp, Arc<Entry>>,
    policy: UrlPolicy,
}

#[derive(Debug)]
struct Entry {
    /// Compared at each use: an identity may have been changed, or deleted and made again.
    relationship: Relationship,
    compiled: Compiled,
}

impl CompiledCache {
    pub(super) fn new(settings: &Settings) -> Self {
        let weigh = |_: &Uidp, entry: &Arc<Entry>| u32::try_from(entry.compiled.memory()).unwrap_or(u32::MAX);
        let known = Cache::builder().max_capacity(settings.limits.compiled_memory).weigher(weigh).build();
        Self { known, policy: settings.url_policy() }
    }

    /// The compiled relationship of `identity`.
    ///
    /// # Errors
    /// Permission denied when it is not valid under the settings of now.
    pub(super) async fn get(&self, identity: &Identity) -> Result<Compiled, Error> {
        let relationship = &identity.spec.relationship;
        if !is_dear(relationship) {
            return self.compile(identity);
        }
        if let Some(entry) = self.known.get(&identity.uid).await.filter(|entry| entry.relationship == *relationship) {
            return Ok(entry.compiled.clone());
        }
        let compiled = self.compile(identity)?;
        let entry = Entry { relationship: relationship.clone(), compiled: compiled.clone() };
        self.known.insert(identity.uid.clone(), Arc::new(entry)).await;
        Ok(compiled)
    }

    fn compile(&self, identity: &Identity) -> Result<Compiled, Error> {
        let mut violations = Violations::default();
        Compiled::compile(&identity.spec.relationship, self.policy, &mut violations).ok_or_else(|| {
            let message = format!(
                "identity {} does not follow this server's rules for issuers any more; an administrator has to update it",
                identity.uid
            );
            let error = Error::denied(Rule::IssuerNotAllowed, message);
            match violations.check() {
                Ok(()) => error,
                Err(cause) => error.because(cause),
            }
        })
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use domain::{
        Description, Kind, Name, Revision, Timestamp,
        iam::identity::{ClaimMatch, IdentitySpec},
    };

    use super::*;

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

    #[tokio::test]
    async fn patterns_are_remembered_and_literals_leave_nothing_behind() {
        let cache = CompiledCache::new(&Settings::new("https://api.example"));
        for number in 0..20 {
            let uid = |kind: char| format!("{}/{kind}{number:015x}", "a".repeat(40));
            let literal = identity(&uid('1'), Matcher::Literal("build".to_owned()));
            let pattern = identity(&uid('2'), Matcher::Pattern("build-.*".to_owned()));
            for identity in [&literal, &pattern, &pattern] {
                assert!(cache.get(identity).await.unwrap().admits_issuer("https://issuer.example"));
            }
        }
        cache.known.run_pending_tasks().await;
        assert_eq!(cache.known.entry_count(), 20);
    }

    #[tokio::test]
    async fn a_changed_relationship_is_compiled_anew() {
        let cache = CompiledCache::new(&Settings::new("https://api.example"));
        let uid = "a".repeat(40);
        let matches = async |subject: &str| match cache.get(&identity(&uid, Matcher::Pattern(subject.to_owned()))).await {
            Ok(Compiled::ClaimMatch(rule)) => Arc::as_ptr(&rule),
            other => panic!("{other:?}"),
        };
        let first = matches("a.*").await;
        assert_eq!(matches("a.*").await, first);
        assert_ne!(matches("b.*").await, first);
        let Err(error) = cache.get(&identity(&uid, Matcher::Pattern("(".to_owned()))).await else { panic!("compiled") };
        assert_eq!(error.kind(), Kind::PermissionDenied);
    }

    #[tokio::test]
    async fn what_is_remembered_counts_for_the_memory_that_it_takes() {
        let mut settings = Settings::new("https://api.example");
        settings.limits.compiled_memory = 4 << 20;
        let cache = CompiledCache::new(&settings);
        let weigh = async |number: u64, pattern: &str| {
            let uid = format!("{}/{number:016x}", "a".repeat(40));
            let compiled = cache.get(&identity(&uid, Matcher::Pattern(pattern.to_owned()))).await.unwrap();
            compiled.memory()
        };
        let (small, large) = (weigh(0, "build-.*").await, weigh(1, ".{1,200}").await);
        // What its searches may keep, and as much again at most.
        assert!((128 << 10..256 << 10).contains(&small), "{small}");
        assert!((small + (128 << 10)..2 << 20).contains(&large), "{large}");
        for number in 2..100 {
            assert_eq!(weigh(number, ".{1,200}").await, large);
        }
        cache.known.run_pending_tasks().await;
        assert!(cache.known.weighted_size() <= 4 << 20, "{}", cache.known.weighted_size());
    }
}
