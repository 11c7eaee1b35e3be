//! Compiled relationships, remembered.

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

/// What one compiled pattern counts; literals count one. It stands for the memory that each takes.
const PATTERN_WEIGHT: usize = 64;

/// The compiled form of each identity's relationship.
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
        let weigh = |_: &Uidp, entry: &Arc<Entry>| u32::try_from(weight(&entry.relationship)).unwrap_or(u32::MAX);
        let known = Cache::builder().max_capacity(settings.limits.compiled).weigher(weigh).build();
        Self { known, policy: settings.url_policy() }
    }

    /// The compiled relationship of `identity`.
    ///
    /// # Errors
    /// Permission denied when it is not valid under the settings of now.
    pub(super) async fn get(&self, identity: &Identity) -> Result<Compiled, Error> {
        let relationship = &identity.spec.relationship;
        if let Some(entry) = self.known.get(&identity.uid).await.filter(|entry| entry.relationship == *relationship) {
            return Ok(entry.compiled.clone());
        }
        let mut violations = Violations::default();
        let Some(compiled) = Compiled::compile(relationship, self.policy, &mut violations) else {
            let message = format!(
                "identity {} does not follow this server's rules for issuers any more; an administrator has to update it",
                identity.uid
            );
            let error = Error::denied(Rule::IssuerNotAllowed, message);
            return Err(match violations.check() {
                Ok(()) => error,
                Err(cause) => error.because(cause),
            });
        };
        let entry = Entry { relationship: relationship.clone(), compiled: compiled.clone() };
        self.known.insert(identity.uid.clone(), Arc::new(entry)).await;
        Ok(compiled)
    }
}

fn weight(relationship: &Relationship) -> usize {
    match relationship {
        Relationship::ClaimMatch(rule) => {
            let matchers = [Some(&rule.issuer), Some(&rule.subject), rule.audience.as_ref()];
            let patterns = matchers.iter().flatten().filter(|matcher| matches!(matcher, Matcher::Pattern(_))).count();
            1 + rule.claims.len() + PATTERN_WEIGHT * (patterns + rule.claim_patterns.len())
        }
        // A key of 400 bytes takes kilobytes once it is ready for each of its algorithms.
        Relationship::StaticKeys(keys) => 1 + keys.issuer_keys.len() / 64,
        Relationship::AwsIdentity(_) | Relationship::ServicePrincipal { .. } => 1,
    }
}

#[cfg(test)]
mod tests {
    use domain::{Timestamp, iam::identity::StaticKeys};

    use super::*;

    #[test]
    fn large_key_sets_count_for_the_memory_that_they_take() {
        let keys = StaticKeys {
            issuer: "i".to_owned(),
            subject: "s".to_owned(),
            issuer_keys: "k".repeat(64 * 1024),
            audiences: Vec::new(),
            expires_at: Timestamp(1),
        };
        // 128 RSA keys that are for every algorithm take about a megabyte: at most 64 such sets stay.
        assert!(weight(&Relationship::StaticKeys(keys)) > 65_536 / 65);
    }
}
