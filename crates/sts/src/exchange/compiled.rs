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
            // Nobody proves with a token of an issuer that they are these.
            Relationship::AwsIdentity(_) | Relationship::ServicePrincipal { .. } => return Ok(None),
            Relationship::ClaimMatch(_) => Part::Issuer,
            Relationship::StaticKeys(_) => Part::Whole,
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
mod tests;
