//! What the requests of one connection share: whose they are, and the answers that it has not sent yet.

use std::{
    net::IpAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{
            AtomicUsize,
            Ordering::{AcqRel, Acquire, Relaxed},
        },
    },
    task::Context,
    time::Duration,
};

use domain::Uidp;
use futures::task::AtomicWaker;
use tokio::{sync::Notify, time::sleep};

use super::{Address, Budget, Client, Pool};

/// In how many turns the parts of answers are counted: four halves of the send timeout.
const TURNS: usize = 4;

/// A connection as the budget sees it.
pub(crate) struct Line {
    pub(super) budget: Arc<Budget>,
    /// Who is at the other end.
    pub(super) peer: IpAddr,
    address: Arc<Address>,
    /// Health answers under way.
    pub(super) health: Pool,
    /// Who called last, and its share: most connections belong to one caller.
    caller: Mutex<Option<(Uidp, Arc<Pool>)>>,
    /// Bytes of answers that are being made or not sent yet.
    unsent: AtomicUsize,
    /// Tells that there is room for answers again.
    room: Notify,
    /// Parts that were handed over for sending and are not sent yet, by the turn in which they were.
    handed_over: [AtomicUsize; TURNS],
    turn: AtomicUsize,
}

/// How the answer of one request gets on.
#[derive(Debug, Default)]
pub(super) struct Sending {
    /// Parts that are not sent yet.
    left: AtomicUsize,
    /// Counts parts that were handed over or sent; none before the answer begins.
    steps: AtomicUsize,
    /// Who waits for the last part.
    all_sent: AtomicWaker,
}

impl Line {
    pub(crate) fn new(budget: &Arc<Budget>, peer: IpAddr) -> Arc<Self> {
        let peer = peer.to_canonical();
        Arc::new(Self {
            budget: Arc::clone(budget),
            peer,
            address: budget.address(Client::from(peer)),
            health: Pool::default(),
            caller: Mutex::new(None),
            unsent: AtomicUsize::new(0),
            room: Notify::new(),
            handed_over: Default::default(),
            turn: AtomicUsize::new(0),
        })
    }

    /// What the peer has.
    pub(super) fn own_address(&self) -> &Arc<Address> {
        &self.address
    }

    /// What the client of a request has: the peer, or who a trusted proxy names.
    pub(super) fn address_of(&self, client: IpAddr) -> Arc<Address> {
        if client == self.peer { Arc::clone(&self.address) } else { self.budget.address(Client::from(client)) }
    }

    /// The share of an identity.
    pub(super) fn share_of(&self, identity: &Uidp) -> Arc<Pool> {
        let mut caller = self.caller.lock().unwrap_or_else(PoisonError::into_inner);
        match &*caller {
            Some((known, share)) if known == identity => Arc::clone(share),
            _ => {
                let share = self.budget.identities.of(identity);
                *caller = Some((identity.clone(), Arc::clone(&share)));
                share
            }
        }
    }

    /// Waits until less than the limit is unsent, then counts `bytes` more.
    pub(super) async fn room_for(&self, bytes: usize) {
        while !self.try_room(bytes) {
            let room = self.room.notified();
            // What became free before this began to wait tells nobody.
            if self.try_room(bytes) {
                return;
            }
            room.await;
        }
    }

    fn try_room(&self, bytes: usize) -> bool {
        let limit = self.budget.limits.unsent_bytes;
        self.unsent.fetch_update(Relaxed, Relaxed, |unsent| (unsent < limit).then_some(unsent.saturating_add(bytes))).is_ok()
    }

    /// Counts more of an answer that has become longer than expected.
    pub(super) fn more(&self, bytes: usize) {
        self.unsent.fetch_add(bytes, Relaxed);
    }

    /// Bytes are sent, or will not be there.
    pub(super) fn less(&self, bytes: usize) {
        if self.unsent.fetch_sub(bytes, Relaxed) >= self.budget.limits.unsent_bytes {
            self.room.notify_waiters();
        }
    }

    /// Counts a part that is handed over for sending, and answers in which turn.
    pub(super) fn hand_over(&self) -> usize {
        let turn = self.turn.load(Relaxed);
        self.count(turn).fetch_add(1, Relaxed);
        turn
    }

    /// A part is sent, or given up.
    pub(super) fn sent(&self, turn: usize) {
        self.count(turn).fetch_sub(1, Relaxed);
    }

    /// Completes when a part of an answer has not been sent for one and a half to two times `timeout`: later than a stream
    /// that can be ended alone is ended ([`super::Load::stalls`]).
    pub(crate) async fn stalls(&self, timeout: Duration) {
        loop {
            sleep(timeout / 2).await;
            let next = self.turn.load(Relaxed).wrapping_add(1);
            if self.count(next).load(Relaxed) > 0 {
                return;
            }
            self.turn.store(next, Relaxed);
        }
    }

    fn count(&self, turn: usize) -> &AtomicUsize {
        let [a, b, c, d] = &self.handed_over;
        match turn % TURNS {
            0 => a,
            1 => b,
            2 => c,
            _ => d,
        }
    }
}

impl Sending {
    /// A part is handed over for sending.
    pub(super) fn hand_over(&self) {
        self.left.fetch_add(1, Relaxed);
        self.steps.fetch_add(1, Relaxed);
    }

    /// A part is sent, or given up.
    pub(super) fn sent(&self) {
        self.steps.fetch_add(1, Relaxed);
        if self.left.fetch_sub(1, AcqRel) == 1 {
            self.all_sent.wake();
        }
    }

    /// See [`super::Load::is_all_sent`].
    pub(super) fn is_all_sent(&self, cx: &Context<'_>) -> bool {
        if self.left.load(Acquire) == 0 {
            return true;
        }
        self.all_sent.register(cx.waker());
        self.left.load(Acquire) == 0
    }

    /// See [`super::Load::has_begun`].
    pub(super) fn has_begun(&self) -> bool {
        self.steps.load(Relaxed) > 0
    }

    /// See [`super::Load::stalls`].
    pub(super) async fn stalls(&self, timeout: Duration) {
        loop {
            let before = self.steps.load(Relaxed);
            sleep(timeout).await;
            // An answer of which nothing is on its way waits for the server, such as a watch for news.
            if self.steps.load(Relaxed) == before && self.left.load(Relaxed) > 0 {
                return;
            }
        }
    }
}
