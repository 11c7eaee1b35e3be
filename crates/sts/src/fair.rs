//! Places that parties take in turn, so that none waits for another's crowd: partys, issuers, addresses.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use prometheus_client::metrics::gauge::Gauge;
use tokio::{sync::oneshot, time::timeout};

/// How many places there are, and what one party may have of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    /// All places.
    pub(crate) places: usize,
    /// How many requests of one party may wait at once.
    pub(crate) waiting: usize,
    /// How long one may wait.
    pub(crate) timeout: Duration,
}

/// A bounded number of places. Parties with somebody waiting get them one after the other, each half of them at most, but
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
    /// The parties that may take the next places, in this order. INVARIANT: each once, with somebody waiting and a place
    /// of its share free.
    turns: VecDeque<String>,
}

/// What one party has and waits for.
#[derive(Default)]
struct Lane {
    taken: usize,
    waiting: VecDeque<oneshot::Sender<Place>>,
    has_turn: bool,
}

/// A place of a party, until it is dropped.
pub(crate) struct Place {
    of: Option<(Arc<Inner>, String)>,
}

/// Why there was no place; it completes a sentence about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Busy {
    /// As many of the party wait as may.
    TooMany,
    /// Its turn did not come in time.
    TooLate,
}

impl Shares {
    /// How many places one party may have: half of them, but for a single place.
    pub(crate) fn share(self) -> usize {
        (self.places / 2).max(1)
    }
}

impl FairQueue {
    /// Counts those who wait in `waiting`.
    pub(crate) fn new(shares: Shares, waiting: Gauge) -> Self {
        Self(Arc::new(Inner { shares, state: Mutex::default(), waiting }))
    }

    /// A place for `party`, once it is its turn.
    pub(crate) async fn place(&self, party: &str) -> Result<Place, Busy> {
        let place = self.0.enter(party)?;
        self.0.hand_out();
        let _waiting = Waiting::new(&self.0.waiting);
        match timeout(self.0.shares.timeout, place).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) | Err(_) => Err(Busy::TooLate),
        }
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues in the party's lane.
    fn enter(&self, party: &str) -> Result<oneshot::Receiver<Place>, Busy> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state();
        let lane = state.lanes.entry(party.to_owned()).or_default();
        if lane.waiting.len() >= self.shares.waiting {
            lane.waiting.retain(|waiting| !waiting.is_closed());
        }
        if lane.waiting.len() >= self.shares.waiting {
            return Err(Busy::TooMany);
        }
        lane.waiting.push_back(sender);
        state.give_turn(party, self.shares.share());
        Ok(receiver)
    }

    /// Hands out free places until there are none or nobody waits.
    fn hand_out(self: &Arc<Self>) {
        while let Some((waiting, party)) = self.next() {
            let place = Place { of: Some((Arc::clone(self), party)) };
            // Who has gone meanwhile gives the place back.
            if let Err(mut place) = waiting.send(place)
                && let Some((_, party)) = place.of.take()
            {
                self.give_back(&party);
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
            let party = state.turns.pop_front()?;
            let lane = state.lanes.get_mut(&party)?;
            lane.has_turn = false;
            while let Some(waiting) = lane.waiting.pop_front() {
                if waiting.is_closed() {
                    continue;
                }
                lane.taken += 1;
                state.taken += 1;
                state.give_turn(&party, self.shares.share());
                return Some((waiting, party));
            }
            state.forget(&party);
        }
    }

    fn give_back(&self, party: &str) {
        let mut state = self.state();
        state.taken = state.taken.saturating_sub(1);
        if let Some(lane) = state.lanes.get_mut(party) {
            lane.taken = lane.taken.saturating_sub(1);
        }
        state.give_turn(party, self.shares.share());
        state.forget(party);
    }
}

impl State {
    /// Lets the party take its turn, if it waits for one and has not all of its share.
    fn give_turn(&mut self, party: &str, share: usize) {
        let Some(lane) = self.lanes.get_mut(party) else { return };
        if !lane.has_turn && lane.taken < share && !lane.waiting.is_empty() {
            lane.has_turn = true;
            self.turns.push_back(party.to_owned());
        }
    }

    /// Forgets a party that has nothing and waits for nothing.
    fn forget(&mut self, party: &str) {
        if self.lanes.get(party).is_some_and(|lane| lane.taken == 0 && lane.waiting.is_empty()) {
            self.lanes.remove(party);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some((inner, party)) = self.of.take() {
            inner.give_back(&party);
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

impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooMany => "is one of too many at once",
            Self::TooLate => "took too long to be its turn",
        })
    }
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
        FairQueue::new(Shares { places, waiting, timeout: Duration::from_hours(1) }, Gauge::default())
    }

    /// Asks for a place without waiting for it.
    fn ask(queue: &FairQueue, party: &'static str) -> BoxFuture<'static, Result<Place, Busy>> {
        let queue = queue.clone();
        let mut asked = async move { queue.place(party).await }.boxed();
        match (&mut asked).now_or_never() {
            Some(place) => async { place }.boxed(),
            None => asked,
        }
    }

    fn has_place(asked: &mut BoxFuture<'static, Result<Place, Busy>>) -> Option<Place> {
        asked.now_or_never().map(|place| place.expect("a place"))
    }

    #[tokio::test]
    async fn one_party_never_has_all_places() {
        let queue = queue(4, 10);
        let mut crowd: Vec<_> = (0..6).map(|_| ask(&queue, "crowd")).collect();
        let held: Vec<_> = crowd.iter_mut().filter_map(has_place).collect();
        assert_eq!(held.len(), 2);
        let _other = has_place(&mut ask(&queue, "other")).expect("there is room for others");
        drop(held);
    }

    #[tokio::test]
    async fn parties_take_turns() {
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
    async fn a_crowd_is_refused() {
        let queue = queue(1, 2);
        let _first = has_place(&mut ask(&queue, "crowd")).expect("it is free");
        let waiting: Vec<_> = (0..2).map(|_| ask(&queue, "crowd")).collect();
        assert_eq!(queue.place("crowd").await.err(), Some(Busy::TooMany));
        let mut other = ask(&queue, "other");
        assert!(has_place(&mut other).is_none(), "it waits, and is not refused");
        drop(waiting);
        // Who has gone counts no more.
        assert!(has_place(&mut ask(&queue, "crowd")).is_none());
    }

    #[tokio::test]
    async fn waiting_ends() {
        let waiting = Gauge::default();
        let queue = FairQueue::new(Shares { places: 1, waiting: 2, timeout: Duration::ZERO }, waiting.clone());
        let first = has_place(&mut ask(&queue, "a")).expect("it is free");
        for _ in 0..5 {
            assert_eq!(queue.place("a").await.err(), Some(Busy::TooLate));
        }
        assert_eq!(waiting.get(), 0);
        drop(first);
        assert!(queue.place("a").await.is_ok());
    }
}
