//! Events of advisories: recording what happened, changing it, and reviews.

use domain::{
    Ctx, Error, Noun, Op, Patch, Result, Rule, Timestamp, Uidp, Violations,
    vulnerabilities::{Advisory, AdvisoryEvent, EventKind, ReviewState, advisory_event::Findings},
};
use store::{Writer, rows};

use super::{Advisories, rules};
use crate::{
    grants::require,
    iam::placed::child_of,
    nouns,
    settings::Settings,
    update::{self, Update},
};

/// What a caller says of an event. What is absent or empty has a default in a new one, and stays as it is in one that is changed.
#[derive(Clone, Debug, Default)]
pub struct EventDraft {
    /// When it happened; now.
    pub at: Option<Timestamp>,
    /// What happened. A new event must have it.
    pub kind: Option<EventKind>,
    /// What it rests on.
    pub findings: Vec<u8>,
    /// Who recorded it; the caller.
    pub author: String,
    /// Who reviewed it; the caller, when a review comes to something.
    pub reviewer: String,
    /// What the review has come to; nothing yet.
    pub review: Option<ReviewState>,
    /// Where it is discussed.
    pub issue: Option<String>,
}

impl Advisories {
    /// The advisory, for its events.
    ///
    /// # Errors
    /// Not found.
    pub async fn events(&self, uid: &Uidp) -> Result<Advisory> {
        nouns::get(&mut self.store.reader().await?, uid).await
    }

    /// Records an event. Answers the advisory with it, and its identifier.
    ///
    /// # Errors
    /// Invalid argument for values out of their limits; not found when there is no such advisory; failed precondition when it was
    /// withdrawn, and when it has as many events as it may have; permission denied as for [`Advisories::create`]; aborted when
    /// `If-Match` names another version of the advisory.
    pub async fn record(&self, ctx: &Ctx, advisory: &Uidp, draft: EventDraft) -> Result<(Advisory, Uidp)> {
        let mut violations = Violations::default();
        let event = recorded(ctx, advisory, draft, "", &mut violations)?;
        let event = violations.finish(event)?;
        check_review(ctx, &self.needs, &event, None)?;
        let uid = event.uid.clone();
        let patch: Patch<Vec<AdvisoryEvent>> = std::sync::Arc::new(move |events: &Vec<AdvisoryEvent>| {
            let mut events = events.clone();
            events.push(event.clone());
            sort(&mut events);
            Ok(events)
        });
        let advisory = update::run(&EventsUpdate, &self.store, &self.turns, ctx, advisory, &patch).await?;
        Ok((advisory, uid))
    }

    /// Changes an event, or records what its review has come to. Answers the advisory with it. The same values again change nothing.
    ///
    /// # Errors
    /// Not found when there is no such event; invalid argument for values out of their limits; failed precondition when the advisory was
    /// withdrawn, and when the event was approved or rejected; permission denied for a review where the caller does not hold
    /// `advisories.approve`, and for who approves their own where the server lets nobody; aborted when `If-Match` names another version
    /// of the advisory.
    pub async fn change_event(&self, ctx: &Ctx, uid: &Uidp, draft: EventDraft) -> Result<Advisory> {
        let absent = || Error::not_found(Noun::AdvisoryEvent, uid.as_str());
        let advisory = uid.parent().ok_or_else(absent)?;
        let (call, event, settings) = (ctx.clone(), uid.clone(), self.needs.clone());
        let patch: Patch<Vec<AdvisoryEvent>> = std::sync::Arc::new(move |events: &Vec<AdvisoryEvent>| {
            let mut events = events.clone();
            let known = events.iter_mut().find(|known| known.uid == event);
            let known = known.ok_or_else(|| Error::not_found(Noun::AdvisoryEvent, event.as_str()))?;
            *known = changed(&call, &settings, known, draft.clone())?;
            sort(&mut events);
            Ok(events)
        });
        let outcome = update::run(&EventsUpdate, &self.store, &self.turns, ctx, &advisory, &patch).await;
        // Where there is no advisory there is no event of it.
        outcome.map_err(|error| if error.rule() == Rule::NoSuchResource { absent() } else { error })
    }
}

/// A new event of the advisory; `None` with violations of fields below `prefix` when it is not as it must be.
///
/// # Errors
/// Unauthenticated when nobody calls; internal when there is no randomness.
pub(super) fn recorded(
    ctx: &Ctx,
    advisory: &Uidp,
    draft: EventDraft,
    prefix: &str,
    violations: &mut Violations,
) -> Result<Option<AdvisoryEvent>> {
    let Some(kind) = draft.kind else {
        violations.add(format!("{prefix}type"), rules::NO_TYPE);
        return Ok(None);
    };
    let review = draft.review.unwrap_or_default();
    let event = AdvisoryEvent {
        uid: child_of(ctx, advisory)?,
        at: draft.at.unwrap_or(ctx.now),
        kind,
        findings: Findings(draft.findings),
        author: or_caller(ctx, draft.author)?,
        reviewer: if review == ReviewState::Pending { draft.reviewer } else { or_caller(ctx, draft.reviewer)? },
        review,
        issue: draft.issue,
        written_by: ctx.caller()?.identity.clone(),
    };
    rules::check_event(ctx, &event, prefix, violations);
    Ok(Some(event))
}

/// The event as the draft wants it.
fn changed(ctx: &Ctx, settings: &Settings, known: &AdvisoryEvent, draft: EventDraft) -> Result<AdvisoryEvent> {
    let review = draft.review.unwrap_or(known.review);
    let is_reviewed = review != known.review && review != ReviewState::Pending;
    let given = |text: String, otherwise: &str| if text.is_empty() { otherwise.to_owned() } else { text };
    let mut event = AdvisoryEvent {
        uid: known.uid.clone(),
        at: draft.at.unwrap_or(known.at),
        kind: draft.kind.unwrap_or_else(|| known.kind.clone()),
        findings: if draft.findings.is_empty() { known.findings.clone() } else { Findings(draft.findings) },
        author: given(draft.author, &known.author),
        reviewer: if is_reviewed { or_caller(ctx, draft.reviewer)? } else { given(draft.reviewer, &known.reviewer) },
        review,
        issue: draft.issue.or_else(|| known.issue.clone()),
        written_by: known.written_by.clone(),
    };
    if !event.says_the_same(known) {
        event.written_by = ctx.caller()?.identity.clone();
    }
    if event == *known {
        return Ok(event);
    }
    if known.review.is_final() {
        let description = format!("the review of event {} has ended, and it changes no more; record another one", known.uid);
        return Err(Error::precondition(Rule::ReviewEnded, "REVIEW_ENDED", known.uid.as_str(), description));
    }
    let mut violations = Violations::default();
    rules::check_event(ctx, &event, "", &mut violations);
    violations.check()?;
    check_review(ctx, settings, &event, Some(known.review))?;
    Ok(event)
}

/// Whether the caller may let a review come to that, which was `before`.
///
/// # Errors
/// Permission denied without `advisories.approve`, and for who approves what they have written where the server lets nobody.
pub(super) fn check_review(ctx: &Ctx, settings: &Settings, event: &AdvisoryEvent, before: Option<ReviewState>) -> Result<()> {
    if event.review == ReviewState::Pending || Some(event.review) == before {
        return Ok(());
    }
    let advisory = event.uid.parent().ok_or_else(|| Error::internal(format!("event {} has no advisory", event.uid)))?;
    require(ctx, "advisories.approve", &advisory)?;
    let is_own = event.written_by == ctx.caller()?.identity;
    if is_own && event.is_approved() && !settings.self_approval {
        let message = "permission denied: nobody approves an event that they have written; ask somebody else to approve it";
        return Err(Error::denied(Rule::OwnEvent, message));
    }
    Ok(())
}

/// The text, or the caller's identifier where it is empty.
///
/// # Errors
/// Unauthenticated when nobody calls.
pub(super) fn or_caller(ctx: &Ctx, text: String) -> Result<String> {
    if text.is_empty() { Ok(ctx.caller()?.identity.to_string()) } else { Ok(text) }
}

/// The oldest first; of those of one time, as they were recorded.
pub(crate) fn sort(events: &mut [AdvisoryEvent]) {
    events.sort_by_key(|event| event.at);
}

struct EventsUpdate;

impl Update for EventsUpdate {
    type Row = Advisory;
    type Spec = Vec<AdvisoryEvent>;
    type Findings = ();
    type Answer = Advisory;

    fn spec(row: &Advisory) -> &Vec<AdvisoryEvent> {
        &row.events
    }

    async fn judge(&self, _ctx: &Ctx, row: &Advisory, wish: &Vec<AdvisoryEvent>) -> Result<()> {
        if wish.len() > rules::MAX_EVENTS {
            let most = rules::MAX_EVENTS;
            let description = format!("advisory {} has {most} events, which is as many as it may have", row.uid);
            return Err(Error::precondition(Rule::GroupFull, "GROUP_FULL", row.uid.as_str(), description));
        }
        rules::check_size(wish)
    }

    async fn keep(_tx: &mut Writer, row: Advisory) -> Result<Advisory> {
        Ok(row)
    }

    async fn write(tx: &mut Writer, row: Advisory, wish: Vec<AdvisoryEvent>, (): &()) -> Result<Advisory> {
        let advisory = rows::update(tx, &row, &Advisory { events: wish, ..row.clone() }).await?;
        tx.announce(Noun::Advisory, &advisory.uid, Op::Updated, &advisory).await?;
        Ok(advisory)
    }
}
