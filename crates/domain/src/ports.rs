//! What one crate needs and another gives: small traits, implemented below and wired by the program.

use std::sync::Arc;

use async_trait::async_trait;

use crate::{
    caller::Caller,
    ctx::{Ctx, IdempotencyClaim},
    error::{Error, Violations},
    grants::Grants,
    iam::{AccountStatus, CloudAccount, Relationship},
    secret::LentSecret,
    time::Timestamp,
    uidp::Uidp,
};

/// Judges API tokens. Implemented by `sts`, used by the gate.
#[async_trait]
pub trait Authenticate: Send + Sync {
    /// The caller that `bearer` proves, and what of its identity's grants at this moment the token keeps.
    ///
    /// # Errors
    /// Unauthenticated when the token is malformed, altered, expired, of another audience or revoked; unavailable when that
    /// cannot be found out.
    async fn authenticate(&self, bearer: LentSecret<'_>, now: Timestamp) -> Result<(Arc<Caller>, Arc<Grants>), Error>;
}

/// Remembers the answers of idempotent requests. Implemented by `services`, used by the gate.
#[async_trait]
pub trait Replays: Send + Sync {
    /// What is known about the claim: nothing, or the answer of the first request as encoded protobuf with its entity tag.
    ///
    /// # Errors
    /// Invalid argument when the key was used for another request; aborted when the first answer is lost.
    async fn find(&self, claim: &IdempotencyClaim, now: Timestamp) -> Result<Option<Replay>, Error>;

    /// Keeps the answer for 24 hours.
    ///
    /// # Errors
    /// Whatever the store answers; the request itself has been applied all the same.
    async fn save(&self, ctx: &Ctx, claim: &IdempotencyClaim, answer: Replay) -> Result<(), Error>;
}

/// A remembered answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The response message, encoded.
    pub message: Vec<u8>,
    /// Its entity tag.
    pub etag: Option<String>,
}

/// Records what was refused. Implemented by `services`, used by the gate.
pub trait Refusals: Send + Sync {
    /// Adds a refused call to the audit log, soon and outside the request's path.
    fn record(&self, ctx: &Ctx, place: Option<&str>, error: &Error);
}

/// Judges what has to be so where a request acts before its method can be used there, beside the rights of the caller: documents that
/// have to be accepted. Implemented by `services`, used by the gate.
#[async_trait]
pub trait Preconditions: Send + Sync {
    /// Whether calls of this method (`/package.Service/Method`) are judged at all; found out once, when the server starts.
    fn concern(&self, method: &str) -> bool;

    /// Judges a call that its caller may make.
    ///
    /// # Errors
    /// Failed precondition, saying what to do first; internal when the storage fails.
    async fn check(&self, ctx: &Ctx, place: &Uidp) -> Result<(), Error>;
}

/// Seals small texts so that only servers with this installation's key can make or read them: page tokens, and secrets that are
/// stored to be used.
/// Implemented by `sts`, used by `services`.
pub trait Seal: Send + Sync {
    /// Encrypts and authenticates `plain`; the answer is URL-safe text.
    ///
    /// # Errors
    /// Internal when the random generator fails.
    fn seal(&self, purpose: &'static str, plain: &[u8]) -> Result<String, Error>;

    /// The text that was sealed for this purpose, or `None` when it was altered, truncated or made elsewhere.
    fn open(&self, purpose: &'static str, sealed: &str) -> Option<Vec<u8>>;

    /// What an earlier key has sealed for this purpose, sealed by the one in use; `None` when that one has, or nobody here.
    ///
    /// # Errors
    /// As [`Seal::seal`].
    fn renew(&self, purpose: &'static str, sealed: &str) -> Result<Option<String>, Error>;
}

/// Judges what only the token exchange understands of a relationship: that patterns compile and fix the issuer's
/// domain, that issuers may be used here, that pasted keys can be read. Implemented by `sts`, used by `services`.
#[async_trait]
pub trait CheckRelationship: Send + Sync {
    /// Adds a violation for every field that can never match or must not be accepted. Fields are relative to the
    /// identity, such as `claim_match.issuer_pattern`. What may take long waits for its turn in the share of `organization`, the
    /// root of the identity's UID: never to be called inside a transaction.
    ///
    /// # Errors
    /// Resource exhausted when too much of the organization waits already.
    async fn check(&self, organization: &str, relationship: &Relationship, violations: &mut Violations) -> Result<(), Error>;

    /// Judges the form of an issuer's URL: https, http for loopback where that is allowed, no user, query or fragment.
    ///
    /// # Errors
    /// What is wrong with it, to be read after the name of the field: `must be an https URL`.
    fn check_issuer(&self, issuer: &str) -> Result<(), String>;

    /// Why no token can ever match a relationship that is accepted all the same, in one line of ASCII: pasted keys that are no
    /// key set.
    fn warning(&self, relationship: &Relationship) -> Option<String>;
}

/// Judges URLs that callers name and that the server will call later. Implemented by `sts`, used by `services`.
pub trait CheckUrl: Send + Sync {
    /// Judges the form: absolute, https, http for loopback where that is allowed, no user or fragment, at most 1,024 bytes. Where the
    /// URL leads is judged when it is called.
    ///
    /// # Errors
    /// What is wrong with it, to be read after the name of the field: `must be an https URL`.
    fn check_url(&self, url: &str) -> Result<(), String>;
}

/// Writes events as subscribers read them. Implemented by `api`, used by `delivery`.
pub trait RenderEvent: Send + Sync {
    /// The event in the form of the API by which its change came.
    ///
    /// # Errors
    /// Internal for an event that no method of the contract announces, and for a snapshot that cannot be read.
    fn render(&self, event: Announced<'_>) -> Result<Rendered, Error>;
}

/// An event as the store has it.
#[derive(Clone, Copy, Debug)]
pub struct Announced<'a> {
    /// The event type.
    pub kind: &'a str,
    /// The API version of the method.
    pub api_version: &'a str,
    /// The UID of what it is about.
    pub subject: &'a str,
    /// The group that it belongs to.
    pub group: &'a str,
    /// What it is about, as JSON of the domain.
    pub snapshot: &'a str,
    /// When it was announced.
    pub at: Timestamp,
}

/// An event as subscribers read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The path of the collection whose method announced it, such as `/iam/v2beta1/groups`.
    pub source: String,
    /// What it is about.
    pub subject: String,
    /// The full name of the message in the body, and that message as JSON; `None` for an event without a body.
    pub body: Option<(&'static str, String)>,
    /// Attributes of its kind alone.
    pub extensions: Vec<(&'static str, String)>,
}

/// Tries accounts at clouds. Implemented by `sts`, used by `services`.
#[async_trait]
pub trait TryAccount: Send + Sync {
    /// Exchanges credentials at the cloud, in the name of `group`, and throws away what it gets. It may take as long as a cloud
    /// takes: never to be called inside a transaction. That the cloud gives none is an answer.
    ///
    /// # Errors
    /// Resource exhausted when the group, its organization or the caller has tried too often, or too much of the organization waits;
    /// unavailable when no token can be signed.
    async fn try_account(&self, ctx: &Ctx, group: &Uidp, account: CloudAccount<'_>) -> Result<AccountStatus, Error>;
}

/// Whom a route beside the contract has answered, among the extensions of its answer: the gateway counts what the answer takes in their
/// name, and logs it.
#[derive(Clone, Debug)]
pub struct Answered(pub Arc<Caller>);

/// Why a route beside the contract has failed, among the extensions of its answer: the gateway writes the answer, as for methods.
#[derive(Clone, Debug)]
pub struct Failed(pub Arc<Error>);

/// A part that the server cannot work without. Implemented by whoever owns the part, asked by the gateway's `/readyz`
/// and its gRPC health service.
#[async_trait]
pub trait Ready: Send + Sync {
    /// What the part is called in the answer, such as `store`.
    fn name(&self) -> &'static str;

    /// Really asks the part, cheaply.
    ///
    /// # Errors
    /// Why it cannot serve now; the message is shown to whoever asks.
    async fn check(&self) -> Result<Fitness, Error>;
}

/// How well a part serves that does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fitness {
    /// As it should.
    Well,
    /// Some of what it does has to wait, for the reason in this text, which is shown to whoever asks. Other servers of the
    /// same installation are likely no better off, so this is no reason to ask them instead.
    Degraded(String),
}
