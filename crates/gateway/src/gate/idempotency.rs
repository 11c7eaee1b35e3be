//! Idempotency keys as claims: digests, so that nothing of a caller's key or request is stored.

use aws_lc_rs::digest::{Context, SHA256};
use domain::{Actor, ctx::IdempotencyClaim};

/// The claim of a caller on its key, still without the request. `None` when nobody proved who calls: strangers must not
/// get each other's answers.
pub(crate) fn claim(actor: &Actor, key: &str) -> Option<IdempotencyClaim> {
    let Actor::Caller(caller) = actor else { return None };
    let mut digest = Digest::new("provost/idempotency/key");
    digest.part(caller.identity.as_str());
    // No UIDP and no capability is called "all" or "only", so no two narrowings give the same parts.
    match &caller.narrowing.scopes {
        None => digest.part("all"),
        Some(scopes) => {
            digest.part("only");
            for scope in scopes {
                digest.part(scope.as_str());
            }
        }
    }
    match &caller.narrowing.capabilities {
        None => digest.part("all"),
        Some(capabilities) => {
            digest.part("only");
            for capability in capabilities.iter() {
                digest.part(capability.name());
            }
        }
    }
    digest.part(key);
    Some(IdempotencyClaim { key: digest.finish(), request: [0; 32] })
}

/// Ties the claim to one request of one method.
pub(crate) fn bind(claim: &mut IdempotencyClaim, method: &str, request: &[u8]) {
    let mut digest = Digest::new("provost/idempotency/request");
    digest.part(method);
    digest.part(request);
    claim.request = digest.finish();
}

/// SHA-256 over parts with their lengths, so that no two lists of parts give the same text.
struct Digest(Context);

impl Digest {
    fn new(purpose: &str) -> Self {
        let mut digest = Self(Context::new(&SHA256));
        digest.part(purpose);
        digest
    }

    fn part(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.update(&(part.len() as u64).to_be_bytes());
        self.0.update(part);
    }

    fn finish(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        // INVARIANT: SHA-256 has 32 bytes.
        bytes.iter_mut().zip(self.0.finish().as_ref()).for_each(|(to, from)| *to = *from);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::{Caller, CapabilitySet, Narrowing, Timestamp, Uidp};

    use super::*;

    fn key(identity: u8, narrowing: Narrowing, key: &str) -> [u8; 32] {
        let caller = Caller {
            identity: Uidp::root_from([identity; 20]),
            operator: false,
            issuer: String::new(),
            audience: Vec::new(),
            issued_at: Timestamp(0),
            expires_at: Timestamp(0),
            token_id: String::new(),
            upstream: None,
            email: None,
            narrowing,
        };
        claim(&Actor::Caller(Arc::new(caller)), key).unwrap().key
    }

    #[test]
    fn claims_differ_by_caller_narrowing_and_key() {
        let scopes = |bytes: &[u8]| Narrowing {
            scopes: Some(bytes.iter().map(|b| Uidp::root_from([*b; 20])).collect()),
            capabilities: None,
        };
        let capabilities = Narrowing { scopes: None, capabilities: Some(CapabilitySet::from_names(["groups.list"])) };
        let all = [
            key(1, Narrowing::default(), "a"),
            key(2, Narrowing::default(), "a"),
            key(1, Narrowing::default(), "b"),
            key(1, scopes(&[]), "a"),
            key(1, scopes(&[1]), "a"),
            key(1, scopes(&[1, 2]), "a"),
            key(1, capabilities, "a"),
            key(1, Narrowing { scopes: None, capabilities: Some(CapabilitySet::EMPTY) }, "a"),
            key(1, Narrowing { scopes: Some(Vec::new()), capabilities: Some(CapabilitySet::EMPTY) }, "a"),
        ];
        let distinct: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
        assert_eq!(key(1, Narrowing::default(), "a"), all[0]);
        assert_eq!(claim(&Actor::Anonymous, "a"), None);
    }

    #[test]
    fn requests_differ_by_method_and_message() {
        let bound = |method, request: &[u8]| {
            let mut claim = IdempotencyClaim { key: [0; 32], request: [0; 32] };
            bind(&mut claim, method, request);
            claim.request
        };
        assert_ne!(bound("/a", b"x"), bound("/b", b"x"));
        assert_ne!(bound("/a", b"x"), bound("/a", b"y"));
        assert_ne!(bound("/a", b"b"), bound("/ab", b""));
        assert_eq!(bound("/a", b"x"), bound("/a", b"x"));
    }
}
