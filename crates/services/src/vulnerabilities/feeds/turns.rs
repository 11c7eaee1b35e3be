//! Who makes feeds, and when: one at a time for an organization, a few for all, and no organization for longer than its share.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{Error, Kind, Result, Rule, Uidp, error::Detail};
use store::vulnerabilities::feeds::State;
use tokio::{
    sync::{Mutex as Turn, OwnedMutexGuard, Semaphore, oneshot},
    task::JoinSet,
    time::Instant,
};
use tracing::Instrument as _;

use super::{Feeds, Form, Snapshot};

/// Feeds that are made at once.
const AT_ONCE: usize = 2;
/// How long feeds of an organization may be made without a pause, and the part of all time that it may have.
const BURST: Duration = Duration::from_secs(30);
const PART: u32 = 10;
/// Requests of an organization that wait for a feed at once.
const WAITING: usize = 64;
/// Organizations that are remembered, beside those whose feeds are made.
const REMEMBERED: usize = 10_000;

/// Whose turn it is.
#[derive(Debug)]
pub(super) struct Turns {
    lanes: Mutex<HashMap<String, Arc<Lane>>>,
    at_once: Arc<Semaphore>,
    tasks: Mutex<JoinSet<()>>,
}

#[derive(Debug)]
struct Lane {
    turn: Arc<Turn<Spent>>,
    waiting: Semaphore,
}

/// What an organization has spent of its time.
#[derive(Debug)]
struct Spent {
    time: Duration,
    as_of: Instant,
}

impl Default for Turns {
    fn default() -> Self {
        Self { lanes: Mutex::default(), at_once: Arc::new(Semaphore::new(AT_ONCE)), tasks: Mutex::default() }
    }
}

impl Turns {
    fn lane(&self, org: &str) -> Arc<Lane> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if lanes.len() > REMEMBERED {
            lanes.retain(|_, lane| Arc::strong_count(lane) > 1);
        }
        let lane = || {
            let spent = Spent { time: Duration::ZERO, as_of: Instant::now() };
            Arc::new(Lane { turn: Arc::new(Turn::new(spent)), waiting: Semaphore::new(WAITING) })
        };
        Arc::clone(lanes.entry(org.to_owned()).or_insert_with(lane))
    }
}

impl Spent {
    /// Whether there is time left.
    fn has_time(&mut self, now: Instant) -> bool {
        self.time = self.time.saturating_sub(now.duration_since(self.as_of) / PART);
        self.as_of = now;
        self.time < BURST
    }
}

impl Feeds {
    /// The group's feed of this state or a later one; an older one when the organization has no time left. It is made when need be, also
    /// when who asked has gone.
    pub(super) async fn snapshot(&self, group: &Uidp, form: Form, state: State) -> Result<Arc<Snapshot>> {
        let current = |snapshot: &Arc<Snapshot>| snapshot.state() >= state;
        if let Some(snapshot) = self.kept.find(group, form).filter(current) {
            return Ok(snapshot);
        }
        let lane = self.turns.lane(group.root_text());
        let waits = lane.waiting.try_acquire().map_err(|_| busy(group))?;
        let mut turn = Arc::clone(&lane.turn).lock_owned().await;
        drop(waits);
        let kept = self.kept.find(group, form);
        if let Some(snapshot) = kept.clone().filter(current) {
            return Ok(snapshot);
        }
        if !turn.has_time(Instant::now()) {
            return kept.ok_or_else(|| busy(group));
        }
        self.make(group.clone(), form, turn).await.map_err(Error::internal)?
    }

    fn make(&self, group: Uidp, form: Form, mut turn: OwnedMutexGuard<Spent>) -> oneshot::Receiver<Result<Arc<Snapshot>>> {
        let (done, outcome) = oneshot::channel();
        let (store, kept, at_once) = (self.store.clone(), Arc::clone(&self.kept), Arc::clone(&self.turns.at_once));
        let work = async move {
            let _place = at_once.acquire().await;
            let begun = Instant::now();
            let made = match form {
                Form::Osv => super::osv::make(&store, &kept, &group).await,
                Form::Vex => super::vex::make(&store, &kept, &group).await,
                Form::Secdb => super::secdb::make(&store, &kept, &group).await,
            };
            turn.time += begun.elapsed();
            let made = made.map(Arc::new).inspect(|snapshot| kept.put(&group, form, Arc::clone(snapshot)));
            // Who does not wait any more needs no answer.
            _ = done.send(made);
        };
        let mut tasks = self.turns.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(work.in_current_span());
        outcome
    }
}

fn busy(group: &Uidp) -> Error {
    let message = format!("feeds of {} are being made for too long or for too many already; retry later", group.root_text());
    Error::new(Kind::ResourceExhausted, Rule::OrganizationBusy, message).with(Detail::RetryAfter(Duration::from_secs(10)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_comes_back_slowly() {
        let mut spent = Spent { time: BURST, as_of: Instant::now() };
        assert!(!spent.has_time(Instant::now()));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(spent.has_time(Instant::now()));
        assert_eq!(spent.time + Duration::from_millis(100), BURST);
    }
}
