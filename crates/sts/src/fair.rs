//! Places that organizations take in turn, so that none waits for another's crowd.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{Error, Kind, Rule, error::Detail};
use prometheus_client::metrics::gauge::Gauge;
use tokio::{sync::oneshot, time::timeout};

/// How many places there are, and what one organization may have of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    /// All places.
    pub(crate) places: usize,
    /// How many requests of one organization may wait at once.
    pub(crate) waiting: usize,
    /// How long one may wait.
    pub(crate) timeout: Duration,
}

/// A bounded number of places. Organizations with somebody waiting get them one after the other, each half of them at most, but
/// one at least. Cheap to clone.
#[derive(Clone)]
pub(crate) struct FairQueue(Arc<Inner>);

struct Inner {
    shares: Shares,
    state: Mutex<State>,
    waiting: Gauge,
}

#[derive(Default)]
struct State {
    taken: usize,
    lanes: HashMap<String, Lane>,
    /// The organizations that may take the next places, in this order. INVARIANT: each once, with somebody waiting and a place
    /// of its share free.
    turns: VecDeque<String>,
}

/// What one organization has and waits for.
#[derive(Default)]
struct Lane {
    taken: usize,
    waiting: VecDeque<oneshot::Sender<Place>>,
    has_turn: bool,
}

/// A place of an organization, until it is dropped.
pub(crate) struct Place {
    of: Option<(Arc<Inner>, String)>,
}

impl Shares {
    /// How many places one organization may have: half of them, but for a single place.
    fn share(self) -> usize {
        (self.places / 2).max(1)
    }
}

impl FairQueue {
    pub(crate) fn new(shares: Shares) -> Self {
        Self(Arc::new(Inner { shares, state: Mutex::default(), waiting: Gauge::default() }))
    }

    /// How many wait for a place.
    pub(crate) fn waiting(&self) -> Gauge {
        self.0.waiting.clone()
    }

    /// A place for `organization`, once it is its turn.
    ///
    /// # Errors
    /// Resource exhausted when too many of the organization wait already, or when it takes too long.
    pub(crate) async fn place(&self, organization: &str) -> Result<Place, Error> {
        let place = self.0.enter(organization)?;
        self.0.hand_out();
        let _waiting = Waiting::new(&self.0.waiting);
        match timeout(self.0.shares.timeout, place).await {
            Ok(place) => place.map_err(Error::internal),
            Err(_) => Err(busy(organization, "took too long to be its turn")),
        }
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues in the organization's lane.
    fn enter(&self, organization: &str) -> Result<oneshot::Receiver<Place>, Error> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state();
        let lane = state.lanes.entry(organization.to_owned()).or_default();
        if lane.waiting.len() >= self.shares.waiting {
            lane.waiting.retain(|waiting| !waiting.is_closed());
        }
        if lane.waiting.len() >= self.shares.waiting {
            return Err(busy(organization, "is one of too many at once"));
        }
        lane.waiting.push_back(sender);
        state.give_turn(organization, self.shares.share());
        Ok(receiver)
    }

    /// Hands out free places until there are none or nobody waits.
    fn hand_out(self: &Arc<Self>) {
        while let Some((waiting, organization)) = self.next() {
            let place = Place { of: Some((Arc::clone(self), organization)) };
            // Who has gone meanwhile gives the place back.
            if let Err(mut place) = waiting.send(place)
                && let Some((_, organization)) = place.of.take()
            {
                self.give_back(&organization);
            }
        }
    }

    /// Who takes the next place, which counts as taken.
    fn next(&self) -> Option<(oneshot::Sender<Place>, String)> {
        let mut state = self.state();
        if state.taken >= self.shares.places {
            return None;
        }
        loop {
            let organization = state.turns.pop_front()?;
            let lane = state.lanes.get_mut(&organization)?;
            lane.has_turn = false;
            while let Some(waiting) = lane.waiting.pop_front() {
                if waiting.is_closed() {
                    continue;
                }
                lane.taken += 1;
                state.taken += 1;
                state.give_turn(&organization, self.shares.share());
                return Some((waiting, organization));
            }
            state.forget(&organization);
        }
    }

    fn give_back(&self, organization: &str) {
        let mut state = self.state();
        state.taken = state.taken.saturating_sub(1);
        if let Some(lane) = state.lanes.get_mut(organization) {
            lane.taken = lane.taken.saturating_sub(1);
        }
        state.give_turn(organization, self.shares.share());
        state.forget(organization);
    }
}

impl State {
    /// Lets the organization take its turn, if it waits for one and has not all of its share.
    fn give_turn(&mut self, organization: &str, share: usize) {
        let Some(lane) = self.lanes.get_mut(organization) else { return };
        if !lane.has_turn && lane.taken < share && !lane.waiting.is_empty() {
            lane.has_turn = true;
            self.turns.push_back(organization.to_owned());
        }
    }

    /// Forgets an organization that has nothing and waits for nothing.
    fn forget(&mut self, organization: &str) {
        if self.lanes.get(organization).is_some_and(|lane| lane.taken == 0 && lane.waiting.is_empty()) {
            self.lanes.remove(organization);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some((inner, organization)) = self.of.take() {
            inner.give_back(&organization);
            inner.hand_out();
        }
    }
}

/// Counts somebody who waits, until it is dropped.
struct Waiting(Gauge);

impl Waiting {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.dec();
    }
}

fn busy(organization: &str, why: &str) -> Error {
    let message = format!(
        "this server is busy with patterns and keys of {organization}, and this request {why}; retry later, and use simpler patterns"
    );
    Error::new(Kind::ResourceExhausted, Rule::OrganizationBusy, message).with(Detail::RetryAfter(Duration::from_secs(1)))
}

impl fmt::Debug for FairQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FairQueue").field("shares", &self.0.shares).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt as _, future::BoxFuture};

    use super::*;

    fn queue(places: usize, waiting: usize) -> FairQueue {
        FairQueue::new(Shares { places, waiting, timeout: Duration::from_hours(1) })
    }

    /// Asks for a place without waiting for it.
    fn ask(queue: &FairQueue, organization: &'static str) -> BoxFuture<'static, Result<Place, Error>> {
        let queue = queue.clone();
        let mut asked = async move { queue.place(organization).await }.boxed();
        match (&mut asked).now_or_never() {
            Some(place) => async { place }.boxed(),
            None => asked,
        }
    }

    fn has_place(asked: &mut BoxFuture<'static, Result<Place, Error>>) -> Option<Place> {
        asked.now_or_never().map(|place| place.expect("a place"))
    }

    #[tokio::test]
    async fn one_organization_never_has_all_places() {
        let queue = queue(4, 10);
        let mut crowd: Vec<_> = (0..6).map(|_| ask(&queue, "crowd")).collect();
        let held: Vec<_> = crowd.iter_mut().filter_map(has_place).collect();
        assert_eq!(held.len(), 2);
        let _other = has_place(&mut ask(&queue, "other")).expect("there is room for others");
        drop(held);
    }

    #[tokio::test]
    async fn organizations_take_turns() {
        let queue = queue(1, 10);
        let first = has_place(&mut ask(&queue, "crowd")).expect("it is free");
        let mut crowd: Vec<_> = (0..5).map(|_| ask(&queue, "crowd")).collect();
        let (mut other, mut third) = (ask(&queue, "other"), ask(&queue, "third"));
        drop(first);
        // Those who have nothing yet come before the rest of the crowd, in the order in which they came.
        drop(has_place(&mut other).expect("the first that waits and has nothing"));
        let held: Vec<_> = crowd.iter_mut().filter_map(has_place).collect();
        assert_eq!(held.len() + usize::from(has_place(&mut third).is_some()), 1);
    }

    #[tokio::test]
    async fn who_has_gone_holds_nothing() {
        let queue = queue(1, 10);
        let first = has_place(&mut ask(&queue, "a")).expect("it is free");
        let gone: Vec<_> = (0..5).map(|_| ask(&queue, "a")).collect();
        let mut stays = ask(&queue, "b");
        drop(gone);
        drop(first);
        drop(has_place(&mut stays).expect("the only one who waits"));
        // A place that was given and never taken over goes on.
        let first = has_place(&mut ask(&queue, "a")).expect("it is free");
        let (given, mut next) = (ask(&queue, "a"), ask(&queue, "b"));
        drop(first);
        drop(given);
        drop(has_place(&mut next).expect("the place that nobody took"));
        let state = queue.0.state();
        assert!(state.taken == 0 && state.lanes.is_empty() && state.turns.is_empty());
    }

    #[tokio::test]
    async fn a_crowd_is_refused_and_told_when_to_come_back() {
        let queue = queue(1, 2);
        let _first = has_place(&mut ask(&queue, "crowd")).expect("it is free");
        let waiting: Vec<_> = (0..2).map(|_| ask(&queue, "crowd")).collect();
        let error = queue.place("crowd").await.err().expect("too many");
        assert_eq!((error.kind(), error.rule()), (Kind::ResourceExhausted, Rule::OrganizationBusy));
        assert!(error.details().iter().any(|detail| matches!(detail, Detail::RetryAfter(_))));
        let mut other = ask(&queue, "other");
        assert!(has_place(&mut other).is_none(), "it waits, and is not refused");
        drop(waiting);
        // Who has gone counts no more.
        assert!(has_place(&mut ask(&queue, "crowd")).is_none());
    }

    #[tokio::test]
    async fn waiting_ends() {
        let queue = FairQueue::new(Shares { places: 1, waiting: 2, timeout: Duration::ZERO });
        let first = has_place(&mut ask(&queue, "a")).expect("it is free");
        for _ in 0..5 {
            let error = queue.place("a").await.err().expect("too late");
            assert_eq!(error.rule(), Rule::OrganizationBusy);
        }
        assert_eq!(queue.waiting().get(), 0);
        drop(first);
        assert!(queue.place("a").await.is_ok());
    }
}
