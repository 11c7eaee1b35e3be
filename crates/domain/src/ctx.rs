//! The context of one call: who, what for, when, and under which conditions.

use std::{any::Any, fmt, net::IpAddr, sync::Arc};

use crate::{
    caller::{Actor, Caller},
    capability::CapabilitySet,
    entropy::Entropy,
    error::{Error, Kind, Rule},
    grant::Scopes,
    grants::Grants,
    revision::{EntityTags, Etag, Version, Versioned},
    secret::Secret,
    time::Timestamp,
};

/// Everything a use case may know about the call it serves. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Ctx {
    /// Names the request in logs, audit rows and answers.
    pub request_id: Arc<str>,
    /// The full method name, `/package.Service/Method`, or the task of the server itself.
    pub method: &'static str,
    /// The API version of the method, such as `v2beta1`; empty for the server's own tasks.
    pub api_version: &'static str,
    /// The event that a success of this method announces, if any.
    pub event: Option<EventRule>,
    /// On whose behalf.
    pub actor: Actor,
    /// What the actor holds, after the token's narrowing.
    pub grants: Arc<Grants>,
    /// The capabilities that the method asks for; none of what is open to everybody, and of the server's own tasks.
    pub needed: Option<CapabilitySet>,
    /// The bearer token as it arrived, for the methods that judge it themselves.
    pub bearer: Option<Secret<String>>,
    /// The address of the client, behind trusted proxies the one they name.
    pub peer: Option<IpAddr>,
    /// What the client says it is.
    pub user_agent: Option<Arc<str>>,
    /// When the request arrived; one value for the whole call.
    pub now: Timestamp,
    /// Random bytes.
    pub entropy: Arc<dyn Entropy>,
    /// What entity tags are made by.
    pub tags: EntityTags,
    /// Only write when the row's entity tag is admitted by this.
    pub if_match: Option<Etag>,
    /// Apply this request at most once.
    pub idempotency: Option<IdempotencyClaim>,
    /// Do everything but keep nothing.
    pub validate_only: bool,
    /// What the server counts for the request as long as anything of it is kept.
    pub lease: Lease,
}

/// What a request has been lent: it is given back when the last context of the request is dropped, which may be long after its
/// client has gone. Cheap to clone.
#[derive(Clone, Default)]
pub struct Lease(Option<Arc<dyn Any + Send + Sync>>);

/// What the contract says about the event of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRule {
    /// The event type, such as `dev.chainguard.api.iam.group.created.v1`.
    pub kind: &'static str,
    /// Whether subscribers outside the server see it.
    pub customer: bool,
}

/// A caller's wish that a request is applied at most once. Lives 24 hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyClaim {
    /// SHA-256 over the caller, its narrowing and the key it chose.
    pub key: [u8; 32],
    /// SHA-256 over the method and the request message.
    pub request: [u8; 32],
}

impl Lease {
    /// A lease that ends with the last owner of `lent`.
    #[must_use]
    pub fn new(lent: Arc<dyn Any + Send + Sync>) -> Self {
        Self(Some(lent))
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lease").field(&self.0.is_some()).finish()
    }
}

impl Ctx {
    /// The context of something that the server does by itself.
    pub fn system(task: &'static str, now: Timestamp, entropy: Arc<dyn Entropy>) -> Self {
        Self {
            request_id: task.into(),
            method: task,
            api_version: "",
            event: None,
            actor: Actor::System(task),
            grants: Arc::default(),
            needed: None,
            bearer: None,
            peer: None,
            user_agent: None,
            now,
            entropy,
            tags: EntityTags::default(),
            if_match: None,
            idempotency: None,
            validate_only: false,
            lease: Lease::default(),
        }
    }

    /// The authenticated caller.
    ///
    /// # Errors
    /// Unauthenticated when nobody proved who they are.
    pub fn caller(&self) -> Result<&Caller, Error> {
        match &self.actor {
            Actor::Caller(caller) => Ok(caller),
            Actor::Anonymous | Actor::System(_) => {
                Err(Error::unauthenticated(Rule::TokenMissing, "this call needs a bearer token"))
            }
        }
    }

    /// Where the actor holds what the method asks for: nowhere when it asks for nothing.
    #[must_use]
    pub fn scopes(&self) -> Arc<Scopes> {
        match &self.needed {
            Some(needed) => self.grants.scopes(needed),
            None => Arc::new(Scopes::Subtrees(Vec::new())),
        }
    }

    /// Whether an operator of the server calls.
    #[must_use]
    pub fn is_operator(&self) -> bool {
        matches!(&self.actor, Actor::Caller(caller) if caller.operator)
    }

    /// The entity tag of a version, as callers see it.
    #[must_use]
    pub fn etag(&self, version: Version<'_>) -> Etag {
        self.tags.of(version)
    }

    /// Refuses the write when `If-Match` was sent and does not admit the resource as it is (RFC 9110 section 13.1.1).
    ///
    /// # Errors
    /// Aborted: read the resource again and retry with its new entity tag.
    pub fn check_match(&self, current: &impl Versioned) -> Result<(), Error> {
        let Some(wanted) = &self.if_match else { return Ok(()) };
        let tag = self.etag(current.version());
        if wanted.admits(&tag) {
            return Ok(());
        }
        let message = format!("the resource has changed: its entity tag is {tag}, not {wanted}; read it again and retry");
        Err(Error::new(Kind::Aborted, Rule::EtagMismatch, message))
    }
}
