//! The gate: what every request of the contract passes, whatever its transport.
//!
//! In this order: authenticate, authorise at the request's scope, decode, required fields, preconditions, replay what was applied
//! before, handle. [`Gate::admit`] is the first step, which needs no body; [`Gate::perform`] does the others. Where a request acts is
//! read from its bytes, so that nothing is built for a caller who may not do what it asks (ADR 16).

use std::{net::IpAddr, sync::Arc};

use contract::{Answer, Bytes, Call};
use domain::{
    Actor, Clock, Ctx, EntityTags, Entropy, Error, Grants, Kind, LentSecret, Rule, Timestamp,
    ctx::{IdempotencyClaim, Lease},
    error::Violation,
    ports::{Authenticate, Preconditions, Refusals, Replay, Replays},
};
use http::HeaderMap;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

mod admission;
mod bearer;
mod conditions;
mod idempotency;
mod methods;
mod undecodable;

use admission::Admission;
pub use methods::StartError;
pub(crate) use methods::{Entry, Methods};
use undecodable::undecodable;

use crate::{budget::Load, observe::Record};

/// The gate and what it asks of the rest of the program.
pub(crate) struct Gate {
    pub(crate) authenticate: Arc<dyn Authenticate>,
    pub(crate) replays: Arc<dyn Replays>,
    pub(crate) refusals: Arc<dyn Refusals>,
    /// What has to be so beside rights, if the server knows of any such thing.
    pub(crate) preconditions: Option<Arc<dyn Preconditions>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) tags: EntityTags,
    /// The tasks that finish idempotent requests even when their client hangs up.
    pub(crate) tasks: TaskTracker,
}

/// Where a request comes from.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) request_id: Arc<str>,
    pub(crate) peer: IpAddr,
    pub(crate) user_agent: Option<Arc<str>>,
}

impl Gate {
    /// Finds out who calls, and whether the method is there at all; notes both in `record`.
    ///
    /// # Errors
    /// Unauthenticated without a good token, unless the method is public; unimplemented when the server does not have the
    /// method yet; invalid argument when a header of the call cannot be read; resource exhausted when the caller holds too much.
    pub(crate) async fn admit(
        &self,
        entry: &Entry,
        origin: &Origin,
        headers: &HeaderMap,
        record: &mut Record,
    ) -> Result<Arc<Ctx>, Error> {
        record.method = Some(entry.method);
        let (bearer, now) = (bearer::read(headers), self.clock.now());
        let mut ctx = if entry.admission == Admission::Public {
            // The method judges the token itself, if it wants one.
            let bearer = bearer.ok().map(LentSecret::keep);
            Ctx { bearer, ..self.context(entry, origin, now, Actor::Anonymous, Arc::default(), &record.load) }
        } else {
            let (caller, grants) = self.authenticate.authenticate(bearer?, now).await?;
            record.caller = Some(Arc::clone(&caller));
            self.context(entry, origin, now, Actor::Caller(caller), grants, &record.load)
        };
        record.load.prove(record.caller.as_ref().map(|caller| &caller.identity))?;
        if entry.endpoint.is_none() {
            let message = format!("{} is part of the contract, but this server does not have it yet", entry.method.path);
            return Err(Error::new(Kind::Unimplemented, Rule::NotImplemented, message));
        }
        let conditions = conditions::read(headers)?;
        ctx.if_match = conditions.if_match;
        ctx.validate_only = conditions.validate_only;
        if let Some(key) = conditions.idempotency_key
            && !entry.method.read_only
            && !ctx.validate_only
        {
            ctx.idempotency = idempotency::claim(&ctx.actor, &key);
        }
        Ok(Arc::new(ctx))
    }

    /// Authorises, decodes, checks and handles an admitted request. `place` is where it acts, as far as its bytes say; `wire`
    /// encodes the request message, and is called only for who may do this there.
    ///
    /// A request that names no place can be authorised nowhere. It is decoded, within the limits of all requests, to say what
    /// else is wrong with it. What decoding makes is counted in `load` before it is made.
    ///
    /// # Errors
    /// Why the caller may not do this here, what is wrong with the request, that there is no room for it, or how the handler
    /// failed.
    pub(crate) async fn perform(
        &self,
        entry: &Entry,
        ctx: Arc<Ctx>,
        place: Option<String>,
        load: &Load,
        wire: impl FnOnce() -> Result<Bytes, Error>,
    ) -> Result<Answer, Error> {
        let result = match authorise(entry, &ctx, place.as_deref()) {
            Err(error) if error.kind() == Kind::PermissionDenied => Err(error),
            authorised => {
                let call = decode(entry, load, wire()?)?;
                authorised?;
                // INVARIANT: what is handled is what was authorised. The scan and the decoder agree, or nothing is done.
                if call.scope() != place.as_deref() {
                    return Err(Error::internal("a decoded request acts elsewhere than its bytes said"));
                }
                self.check_preconditions(entry, &ctx, place.as_deref()).await?;
                match ctx.idempotency.clone() {
                    None => call.run(Arc::clone(&ctx)).await,
                    Some(claim) => Box::pin(self.apply_once(entry, Ctx::clone(&ctx), claim, call)).await,
                }
            }
        };
        if let Err(error) = &result
            && error.kind() == Kind::PermissionDenied
        {
            self.refusals.record(&ctx, place.as_deref(), error);
        }
        result
    }

    /// Judges what has to be so beside rights before a method can be used at a place.
    async fn check_preconditions(&self, entry: &Entry, ctx: &Ctx, place: Option<&str>) -> Result<(), Error> {
        let (true, Some(preconditions)) = (entry.has_preconditions, &self.preconditions) else { return Ok(()) };
        let Admission::Scoped { field, .. } = &entry.admission else {
            return Err(Error::internal("a method has preconditions, but acts at no place"));
        };
        preconditions.check(ctx, &admission::place(field, place)?).await
    }

    async fn apply_once(
        &self,
        entry: &Entry,
        mut ctx: Ctx,
        mut claim: IdempotencyClaim,
        call: Box<dyn Call<Arc<Ctx>, Error> + '_>,
    ) -> Result<Answer, Error> {
        idempotency::bind(&mut claim, entry.method.path, &call.wire());
        ctx.idempotency = Some(claim.clone());
        if let Some(kept) = self.replays.find(&claim, ctx.now).await? {
            still_allowed(ctx, call).await?;
            let endpoint = entry.endpoint.as_ref().ok_or_else(|| Error::internal("an admitted method has no endpoint"))?;
            return endpoint.answer(kept.message.into(), kept.etag).map_err(Error::internal);
        }
        let (ctx, replays, keep) = (Arc::new(ctx), Arc::clone(&self.replays), !entry.method.secret_response);
        let answer = call.run(Arc::clone(&ctx));
        // In a task of its own: when the client hangs up between commit and answer, the answer is kept all the same.
        let work = async move {
            let answer = answer.await?;
            if keep {
                let replay = Replay { message: answer.wire().to_vec(), etag: answer.etag.clone() };
                if let Err(error) = replays.save(&ctx, &claim, replay).await {
                    tracing::warn!(request_id = &*ctx.request_id, %error, "answer of an idempotent request was not kept");
                }
            }
            Ok(answer)
        };
        let task = self.tasks.spawn(work.in_current_span());
        match task.await {
            Ok(result) => result,
            // A panic goes on where it would have gone without the task.
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(error) => Err(Error::internal(error)),
            },
        }
    }

    fn context(
        &self,
        entry: &Entry,
        origin: &Origin,
        now: Timestamp,
        actor: Actor,
        grants: Arc<Grants>,
        load: &Arc<Load>,
    ) -> Ctx {
        Ctx {
            request_id: Arc::clone(&origin.request_id),
            method: entry.method.path,
            api_version: entry.api_version,
            event: entry.event,
            actor,
            grants,
            needed: match &entry.admission {
                Admission::Public | Admission::Anyone => None,
                Admission::Scoped { needed, .. } | Admission::Unscoped(needed) => Some(*needed),
            },
            bearer: None,
            peer: Some(origin.peer),
            user_agent: origin.user_agent.clone(),
            now,
            entropy: Arc::clone(&self.entropy),
            tags: self.tags.clone(),
            if_match: None,
            idempotency: None,
            validate_only: false,
            lease: Lease::new(Arc::clone(load) as _),
        }
    }
}

fn decode<'e>(entry: &'e Entry, load: &Load, wire: Bytes) -> Result<Box<dyn Call<Arc<Ctx>, Error> + 'e>, Error> {
    let endpoint = entry.endpoint.as_ref().ok_or_else(|| Error::internal("an admitted method has no endpoint"))?;
    let counted = endpoint.count(wire).map_err(|error| undecodable(entry.method, error))?;
    load.hold_elements(counted.elements())?;
    let call = endpoint.decode(counted).map_err(|error| undecodable(entry.method, error.into()))?;
    let violation = |field: &str| Violation { field: field.to_owned(), description: format!("{field} is required") };
    let missing: Vec<_> = call.missing().into_iter().map(violation).collect();
    if missing.is_empty() { Ok(call) } else { Err(Error::fields(Rule::Required, missing)) }
}

/// Refuses a replay to a caller who may not do this any more, also by what handlers check by hand: the request is tried once
/// more and nothing of it is kept. That it fails otherwise, because it was applied before, is what replays are for.
async fn still_allowed(ctx: Ctx, call: Box<dyn Call<Arc<Ctx>, Error> + '_>) -> Result<(), Error> {
    let trial = Ctx { validate_only: true, idempotency: None, if_match: None, ..ctx };
    match call.run(Arc::new(trial)).await {
        Err(error) if matches!(error.kind(), Kind::PermissionDenied | Kind::Unauthenticated) => Err(error),
        _ => Ok(()),
    }
}

/// Decides by the method's annotation.
fn authorise(entry: &Entry, ctx: &Ctx, place: Option<&str>) -> Result<(), Error> {
    match &entry.admission {
        Admission::Public | Admission::Anyone | Admission::Unscoped(_) => Ok(()),
        Admission::Scoped { needed, field } => admission::decide(&ctx.grants, needed, &admission::place(field, place)?),
    }
}
