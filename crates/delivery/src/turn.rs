//! One turn with a subscription: some of its events, in order, until the first that its sink does not take.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use domain::{Result, Timestamp};
use store::{
    deliveries::{self, Delivery, Given, Offset, Scan, Turned},
    outbox::Event,
};
use sts::{Post, Undelivered};
use tokio::time::Instant;

use crate::{envelope::envelope, metrics::Attempt, settings::later, shared::Inner};

/// How long a turn lasts; a request that has begun may take longer.
pub(crate) const TURN: Duration = Duration::from_secs(5);
/// Events that a turn sends at most.
const EVENTS: usize = 100;
/// Events that are given up together at most.
const GIVEN_UP: usize = 100;
/// How long nothing is tried when it is this server that cannot go on.
const PAUSE: Duration = Duration::from_secs(5);

/// A turn under way.
pub(crate) struct Turn {
    inner: Arc<Inner>,
    /// The group whose events, and those of what is below, are sent.
    group: String,
    delivery: Delivery,
    /// The last dead letter that was tried.
    letter: Offset,
    delivered: Vec<Offset>,
    given_up: Vec<Given>,
    begun: Instant,
    sent: usize,
}

/// What is sent next.
enum Item {
    /// An event of the outbox.
    New(Box<Event>),
    /// A dead letter, since when it is to be sent again.
    Again(Box<Event>, Timestamp),
}

/// How a turn goes on.
enum Step {
    On,
    /// It is over; the next one may begin then.
    Over(Timestamp),
}

impl Turn {
    pub(crate) fn new(inner: Arc<Inner>, delivery: Delivery) -> Self {
        let group = delivery.subscription.parent_text().to_owned();
        let (letter, delivered, given_up) = (Offset::default(), Vec::new(), Vec::new());
        let letter = Offset { ordinal: -1, ..letter };
        Self { inner, group, delivery, letter, delivered, given_up, begun: Instant::now(), sent: 0 }
    }

    /// Runs it, and keeps what it has come to.
    pub(crate) async fn run(mut self) {
        let due_at = match self.send().await {
            Ok(due_at) => due_at,
            Err(error) => {
                tracing::warn!(?error, subscription = %self.delivery.subscription, "cannot deliver events now");
                later(self.inner.clock.now(), PAUSE)
            }
        };
        let (inner, subscription) = (Arc::clone(&self.inner), self.delivery.subscription.clone());
        if !self.given_up.is_empty() {
            inner.metrics.gave_up(self.given_up.len());
            tracing::warn!(
                %subscription,
                events = self.given_up.len(),
                problem = self.delivery.problem,
                "gave up events that the sink has not taken in time; they are dead letters now"
            );
        }
        let Self { delivery: Delivery { done, attempts, failing_since, problem, .. }, delivered, given_up, .. } = self;
        let turned = Turned {
            subscription,
            node: inner.node.clone(),
            done,
            attempts,
            failing_since,
            problem,
            due_at,
            delivered,
            given_up,
            most_letters: i64::from(inner.settings.dead_letters),
        };
        if let Err(error) = inner.store.end_turn(&inner.ctx(), turned).await {
            // The lease ends by itself; what this turn has sent is sent once more.
            tracing::warn!(?error, "cannot keep how far a subscription has come");
        }
    }

    /// Sends until the turn is over. Answers when the next one may begin.
    async fn send(&mut self) -> Result<Timestamp> {
        loop {
            let now = self.inner.clock.now();
            let is_over = self.sent >= EVENTS || self.begun.elapsed() >= TURN || self.inner.stopping.load(Ordering::Relaxed);
            if is_over {
                return Ok(now);
            }
            let Some(item) = self.next().await? else { return Ok(now) };
            if let Step::Over(due_at) = self.deliver(item).await? {
                return Ok(due_at);
            }
        }
    }

    /// Dead letters that are to be sent again come first, in the order of their events; they are older than all others.
    async fn next(&mut self) -> Result<Option<Item>> {
        let mut reader = self.inner.store.reader().await?;
        if let Some((event, since)) = deliveries::next_replayed(&mut reader, &self.delivery.subscription, self.letter).await? {
            return Ok(Some(Item::Again(Box::new(event), since)));
        }
        while self.delivery.done < self.delivery.target && self.begun.elapsed() < TURN {
            match deliveries::next(&mut reader, &self.group, self.delivery.done, self.delivery.target).await? {
                Scan::Event(event) => return Ok(Some(Item::New(event))),
                Scan::Nothing(end) => self.delivery.done = end,
                Scan::End => self.delivery.done = self.delivery.target,
            }
        }
        Ok(None)
    }

    async fn deliver(&mut self, item: Item) -> Result<Step> {
        let (event, since) = match item {
            Item::New(event) => (*event, None),
            Item::Again(event, since) => (*event, Some(since)),
        };
        let begun_at = since.unwrap_or(event.at);
        self.sent += 1;
        let outcome = self.attempt(&event).await?;
        let now = self.inner.clock.now();
        let Some(Undelivered { problem, is_down }) = outcome else {
            if self.delivery.attempts > 0 {
                tracing::info!(subscription = %self.delivery.subscription, failures = self.delivery.attempts, "a sink takes events again");
            }
            (self.delivery.attempts, self.delivery.failing_since, self.delivery.problem) = (0, None, None);
            self.passed(&event, since.is_some());
            return Ok(Step::On);
        };
        if self.delivery.attempts == 0 {
            tracing::warn!(subscription = %self.delivery.subscription, problem, "a sink does not take an event; it is sent again later");
        }
        self.delivery.attempts += 1;
        self.delivery.problem = Some(problem.clone());
        let failing_since = *self.delivery.failing_since.get_or_insert(now);
        let patience = self.inner.settings.give_up_after;
        if now < later(begun_at.max(failing_since), patience) {
            return Ok(Step::Over(self.retry_at(now)));
        }
        let attempts = self.delivery.attempts;
        self.passed(&event, false);
        self.given_up.push(Given { event, attempts, problem: problem.clone() });
        if !is_down || since.is_some() {
            // It may be this event alone that the sink does not take.
            return Ok(Step::Over(now));
        }
        self.give_up_old(now, &problem).await
    }

    /// A sink that is down for so long would not take what is as old either: that is given up with it, untried, so that sinks which are
    /// down for good cost no more than one attempt now and then.
    async fn give_up_old(&mut self, now: Timestamp, problem: &str) -> Result<Step> {
        let patience = self.inner.settings.give_up_after;
        let mut reader = self.inner.store.reader().await?;
        while self.given_up.len() < GIVEN_UP && self.delivery.done < self.delivery.target {
            match deliveries::next(&mut reader, &self.group, self.delivery.done, self.delivery.target).await? {
                Scan::Event(event) if now < later(event.at, patience) => return Ok(Step::Over(self.retry_at(now))),
                Scan::Event(event) => {
                    self.delivery.done = event.offset();
                    self.given_up.push(Given { event: *event, attempts: 0, problem: problem.to_owned() });
                }
                Scan::Nothing(end) => self.delivery.done = end,
                Scan::End => self.delivery.done = self.delivery.target,
            }
        }
        Ok(Step::Over(now))
    }

    /// What keeps the event from arriving, if anything does.
    async fn attempt(&self, event: &Event) -> Result<Option<Undelivered>> {
        let inner = &*self.inner;
        let envelope = match envelope(&*inner.renderer, &inner.base_url, &self.delivery, event) {
            Ok(envelope) => envelope,
            Err(error) => {
                tracing::error!(
                    ?error,
                    kind = event.kind,
                    revision = event.revision.0,
                    "cannot write an event for its subscribers"
                );
                return Ok(Some(Undelivered { problem: "the event cannot be written".to_owned(), is_down: false }));
            }
        };
        let begun = Instant::now();
        let id = event.id();
        let outcome = inner
            .webhooks
            .post(Post {
                sink: &self.delivery.sink,
                group: &self.group,
                token_id: &format!("{id}.{}", self.delivery.attempts),
                headers: &envelope.headers,
                body: &envelope.body,
                now: inner.clock.now(),
            })
            .await?;
        inner.metrics.request.observe(begun.elapsed().as_secs_f64());
        inner.metrics.attempted(match &outcome {
            None => Attempt::Delivered,
            Some(Undelivered { is_down: true, .. }) => Attempt::Down,
            Some(_) => Attempt::Refused,
        });
        Ok(outcome)
    }

    /// The event is done with; a dead letter goes when it was delivered.
    fn passed(&mut self, event: &Event, is_letter: bool) {
        let offset = event.offset();
        if is_letter {
            self.delivered.push(offset);
        }
        if offset > self.delivery.done {
            self.delivery.done = offset;
        } else {
            self.letter = offset;
        }
    }

    fn retry_at(&self, now: Timestamp) -> Timestamp {
        later(now, self.inner.settings.wait(self.delivery.attempts, self.delivery.subscription.as_str()))
    }
}
