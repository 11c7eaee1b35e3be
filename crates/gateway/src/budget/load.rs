//! What one request holds.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Context,
    time::Duration,
};

use bytes::Bytes;
use domain::{Error, Uidp};
use tokio::{sync::SemaphorePermit, task::yield_now};

use super::{Address, Line, Pool, line::Sending};
use crate::{metrics::Limit, settings::Limits};

/// What every request costs: its stream, its tasks, and a head, a body and an answer of ordinary size.
const REQUEST: usize = 16 << 10;
/// How much of a head, and how much of a body, that covers.
pub(crate) const ORDINARY: usize = 4 << 10;
/// What an element of a list or map becomes in memory, beside its bytes: its place, and a small allocation or two.
const ELEMENT: usize = 128;
/// Health answers at once on one connection that are nobody's.
const HEALTH: usize = 8;
/// Streams of one address that watch health or ask for reflection: they last for as long as their client likes, in the share of
/// strangers.
const WATCHES: usize = 16;
/// Answers that say no more than that a limit is reached, for one address at once. Each is small.
const REFUSALS: usize = 64;

/// What one request holds of the budget, until it and every part of its answer are dropped.
pub(crate) struct Load {
    line: Arc<Line>,
    address: Arc<Address>,
    held: Mutex<Held>,
    sending: Sending,
}

#[derive(Default)]
struct Held {
    standing: Standing,
    bytes: usize,
    /// Bytes of the answer that the connection counts.
    unsent: usize,
    /// Whether the address counts the request.
    counted: bool,
    /// Whether it counts it as a watch as well.
    watches: bool,
}

/// In whose name a request holds something.
#[derive(Default)]
enum Standing {
    /// Nobody's: it has taken nothing yet.
    #[default]
    Nobody,
    /// That of a health answer, which counts as so many.
    Health(usize),
    /// A refusal's.
    Refused,
    /// Somebody's who has not been asked for a token yet.
    Unproven,
    Stranger,
    /// The identity's with this share.
    Caller(Arc<Pool>),
}

/// A part of an answer, which holds its request's load until it is sent.
struct Part {
    bytes: Bytes,
    load: Arc<Load>,
    /// When it was handed over, as the connection counts.
    turn: usize,
}

impl Load {
    /// The load of a request of `client`, which holds nothing yet.
    pub(crate) fn new(line: &Arc<Line>, client: IpAddr) -> Arc<Self> {
        let address = line.address_of(client);
        Arc::new(Self { line: Arc::clone(line), address, held: Mutex::default(), sending: Sending::default() })
    }

    /// The limits of the port.
    pub(crate) fn limits(&self) -> &Limits {
        &self.line.budget.limits
    }

    /// The request begins, with a head of so many bytes.
    ///
    /// # Errors
    /// Resource exhausted when its address has too many requests, or there is no room for another one.
    pub(crate) fn begin(&self, head_bytes: usize) -> Result<(), Error> {
        let mut held = self.held();
        if !self.address.requests.take(1, self.limits().requests_per_address) {
            return Err(self.line.budget.refusal(Limit::Requests));
        }
        held.counted = true;
        held.standing = Standing::Unproven;
        let begun = self.take(&mut held, REQUEST + head_bytes.saturating_sub(ORDINARY));
        if begun.is_err() {
            held.standing = Standing::Nobody;
        }
        begun
    }

    /// The request asks how the server is, and takes nothing of anybody's share, unless its connection asks very often at once.
    /// One that `brings_a_body` is as much as all that may be at once.
    ///
    /// # Errors
    /// As [`Load::begin`].
    pub(crate) fn begin_health(&self, brings_a_body: bool) -> Result<(), Error> {
        let count = if brings_a_body { HEALTH } else { 1 };
        if self.line.health.take(count, HEALTH) {
            self.held().standing = Standing::Health(count);
            return Ok(());
        }
        self.begin(0)
    }

    /// The request, a stranger's, may go on for as long as its client likes, unless it asks for health once.
    ///
    /// # Errors
    /// Resource exhausted when its address has too many of them, or strangers have no room for it.
    pub(crate) fn begin_watch(&self, bytes: usize) -> Result<(), Error> {
        self.prove(None)?;
        let mut held = self.held();
        if matches!(held.standing, Standing::Health(_)) {
            return Ok(());
        }
        if !self.address.watches.take(1, WATCHES) {
            return Err(self.line.budget.refusal(Limit::Watches));
        }
        held.watches = true;
        self.take(&mut held, bytes)
    }

    /// From now on the request holds what it holds in the name of the identity, or of strangers.
    ///
    /// # Errors
    /// Resource exhausted when these have no room for it.
    pub(crate) fn prove(&self, identity: Option<&Uidp>) -> Result<(), Error> {
        let mut held = self.held();
        let budget = &self.line.budget;
        match (&held.standing, identity) {
            (Standing::Unproven, Some(identity)) => {
                let share = self.line.share_of(identity);
                if !share.take(held.bytes, budget.bytes(Limit::Identity)) {
                    return Err(budget.refusal(Limit::Identity));
                }
                held.standing = Standing::Caller(share);
                Ok(())
            }
            (Standing::Unproven, None) => self.estrange(&mut held).map_err(|limit| budget.refusal(limit)),
            _ => Ok(()),
        }
    }

    /// Takes more bytes.
    ///
    /// # Errors
    /// Resource exhausted when there is no room.
    pub(crate) fn hold(&self, bytes: usize) -> Result<(), Error> {
        self.take(&mut self.held(), bytes)
    }

    /// Takes what decoding makes of so many elements of lists and maps.
    ///
    /// # Errors
    /// Resource exhausted when there is no room.
    pub(crate) fn hold_elements(&self, count: u32) -> Result<(), Error> {
        let bytes = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(ELEMENT);
        // Those of an ordinary request are part of what every request costs.
        if bytes <= ORDINARY { Ok(()) } else { self.hold(bytes) }
    }

    /// Takes a place for an answer of about so many bytes, and waits until the connection has sent what it has to send: an
    /// answer is not made before it can be sent.
    ///
    /// # Errors
    /// Resource exhausted when there is no room.
    pub(crate) async fn place(&self, bytes: usize) -> Result<(), Error> {
        // Behind a proxy the connection is everybody's, and what one client does not read must not make others wait.
        if Arc::ptr_eq(&self.address, self.line.own_address()) {
            self.line.room_for(bytes).await;
        } else {
            self.line.more(bytes);
        }
        let mut held = self.held();
        held.unsent += bytes;
        self.take(&mut held, bytes)
    }

    /// Waits until few enough requests of the address are being read for, if this one `reads`. The turn ends when what this gives
    /// is dropped. Reading takes a worker or a connection to the database, and writing waits for the writer, which has a queue
    /// of its own.
    ///
    /// # Errors
    /// Never in effect: nobody closes the turns.
    pub(crate) async fn turn(&self, reads: bool) -> Result<Option<SemaphorePermit<'_>>, Error> {
        let most = self.limits().reads_per_address;
        // Whoever has so few requests under way takes nobody's turn.
        if !reads || self.address.requests.taken() <= most {
            return Ok(None);
        }
        let turns = self.address.reads(most);
        let turn = if let Ok(turn) = turns.try_acquire() {
            turn
        } else {
            self.line.budget.metrics.reached(Limit::Reads);
            turns.acquire().await.map_err(Error::internal)?
        };
        // Behind what others have ready by now. Without this a crowd that never waits would have the worker for itself.
        yield_now().await;
        Ok(Some(turn))
    }

    /// The answer has so many bytes. One that changed nothing `may_be_refused`.
    ///
    /// # Errors
    /// Resource exhausted when there is no room for it.
    pub(crate) fn answer(&self, bytes: usize, may_be_refused: bool) -> Result<(), Error> {
        let mut held = self.held();
        let (expected, more) = (held.unsent, bytes.saturating_sub(held.unsent));
        if more == 0 {
            held.unsent = bytes;
            self.line.less(expected - bytes);
        } else {
            if may_be_refused {
                self.take(&mut held, more)?;
            } else {
                self.pools(&held.standing).into_iter().flatten().for_each(|(pool, _)| pool.force(more));
                held.bytes += more;
            }
            held.unsent = bytes;
            self.line.more(more);
        }
        Ok(())
    }

    /// Whether the answer may be sent. That of somebody who has proved nothing is a stranger's; one for which strangers have no
    /// room either is a refusal, of which one address can have a few.
    pub(crate) fn may_answer(&self) -> bool {
        let mut held = self.held();
        match held.standing {
            Standing::Unproven => {
                if self.estrange(&mut held).is_ok() {
                    return true;
                }
                self.release(&mut held);
            }
            Standing::Nobody => {}
            Standing::Health(_) | Standing::Refused | Standing::Stranger | Standing::Caller(_) => return true,
        }
        let fits = self.address.refusals.take(1, REFUSALS);
        held.standing = if fits { Standing::Refused } else { Standing::Nobody };
        if !fits {
            self.line.budget.metrics.reached(Limit::Refusals);
        }
        fits
    }

    /// A part of the answer for sending, which keeps what the request holds until it is sent.
    pub(crate) fn part(self: &Arc<Self>, bytes: Bytes) -> Bytes {
        self.sending.hand_over();
        Bytes::from_owner(Part { bytes, turn: self.line.hand_over(), load: Arc::clone(self) })
    }

    /// Whether every part that was handed over is sent; if not, the task of `cx` is told later.
    pub(crate) fn is_all_sent(&self, cx: &Context<'_>) -> bool {
        self.sending.is_all_sent(cx)
    }

    /// Whether the answer has begun to be sent.
    pub(crate) fn has_begun(&self) -> bool {
        self.sending.has_begun()
    }

    /// Completes when parts of the answer are on their way and get on no further for `timeout`.
    pub(crate) async fn stalls(&self, timeout: Duration) {
        self.sending.stalls(timeout).await;
    }

    /// The error for a body that arrives too slowly.
    pub(crate) fn too_slow(&self) -> Error {
        self.line.budget.refusal(Limit::BodyRate)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pools that what is held comes from, with the limits that hold for them; those beyond the first two are what a request
    /// gains when it is known whose it is.
    fn pools<'p>(&'p self, standing: &'p Standing) -> [Option<(&'p Pool, Limit)>; 4] {
        let budget = &*self.line.budget;
        let (total, address) = (Some((&budget.total, Limit::Memory)), Some((&self.address.bytes, Limit::Address)));
        match standing {
            Standing::Nobody | Standing::Health(_) | Standing::Refused => [None; 4],
            Standing::Unproven => [total, address, None, None],
            Standing::Stranger => {
                let own = (&self.address.strange, Limit::AddressStrangers);
                [total, address, Some((&budget.strangers, Limit::Strangers)), Some(own)]
            }
            Standing::Caller(share) => [total, address, Some((share, Limit::Identity)), None],
        }
    }

    /// Lets strangers hold what an unproven request holds.
    fn estrange(&self, held: &mut Held) -> Result<(), Limit> {
        let [_, _, all, own] = self.pools(&Standing::Stranger);
        self.take_all(&[all, own], held.bytes)?;
        held.standing = Standing::Stranger;
        Ok(())
    }

    fn take(&self, held: &mut Held, bytes: usize) -> Result<(), Error> {
        let taken = self.take_all(&self.pools(&held.standing), bytes);
        taken.map_err(|limit| self.line.budget.refusal(limit))?;
        held.bytes += bytes;
        Ok(())
    }

    /// Takes of all pools or of none.
    fn take_all(&self, pools: &[Option<(&Pool, Limit)>], bytes: usize) -> Result<(), Limit> {
        for (taken, (pool, limit)) in pools.iter().flatten().enumerate() {
            if !pool.take(bytes, self.line.budget.bytes(*limit)) {
                pools.iter().flatten().take(taken).for_each(|(pool, _)| pool.put(bytes));
                return Err(*limit);
            }
        }
        Ok(())
    }

    fn release(&self, held: &mut Held) {
        self.pools(&held.standing).into_iter().flatten().for_each(|(pool, _)| pool.put(held.bytes));
        if held.unsent > 0 {
            self.line.less(held.unsent);
        }
        (held.bytes, held.unsent) = (0, 0);
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        let mut held = std::mem::take(self.held.get_mut().unwrap_or_else(PoisonError::into_inner));
        self.release(&mut held);
        match held.standing {
            Standing::Health(count) => self.line.health.put(count),
            Standing::Refused => self.address.refusals.put(1),
            Standing::Nobody | Standing::Unproven | Standing::Stranger | Standing::Caller(_) => {}
        }
        if held.watches {
            self.address.watches.put(1);
        }
        if held.counted {
            self.address.requests.put(1);
        }
    }
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.load.line.sent(self.turn);
        self.load.sending.sent();
    }
}

#[cfg(test)]
mod tests {
    use domain::Rule;

    use super::{
        super::{Budget, Client},
        *,
    };
    use crate::metrics::Metrics;

    const LIMITS: fn() -> Limits = || Limits { memory_bytes: 4 << 20, unsent_bytes: 100, ..Limits::default() };

    fn budget(limits: Limits) -> Arc<Budget> {
        Budget::new(limits, Metrics::new())
    }

    fn line(budget: &Arc<Budget>, peer: &str) -> Arc<Line> {
        Line::new(budget, peer.parse().unwrap())
    }

    fn begun(line: &Arc<Line>) -> Result<Arc<Load>, Rule> {
        let load = Load::new(line, line.peer);
        load.begin(100).and_then(|()| load.prove(None)).map_err(|error| error.rule())?;
        Ok(load)
    }

    /// How many requests fit.
    fn crowd(of: impl FnMut() -> Result<Arc<Load>, Rule>) -> (Vec<Arc<Load>>, Rule) {
        let mut of = of;
        let mut loads = Vec::new();
        loop {
            match of() {
                Ok(load) => loads.push(load),
                Err(rule) => return (loads, rule),
            }
        }
    }

    #[test]
    fn strangers_have_a_tenth_and_one_address_a_part_of_it() {
        let budget = budget(LIMITS());
        let first = line(&budget, "192.0.2.1");
        let (loads, rule) = crowd(|| begun(&first));
        // A quarter of a tenth of 4 MiB, 16 KiB each.
        assert_eq!((loads.len(), rule), (6, Rule::MemoryShare));
        let mut address = 1_u8;
        let (others, rule) = crowd(|| {
            address += 1;
            begun(&line(&budget, &format!("192.0.2.{address}")))
        });
        assert_eq!((others.len(), rule), (19, Rule::MemoryShare));
        // Who is somebody has room all the same.
        let identity = Uidp::root_from([7; 20]);
        let load = Load::new(&first, first.peer);
        load.begin(100).unwrap();
        load.prove(Some(&identity)).unwrap();
        drop((loads, others, load));
        assert_eq!(
            (budget.total.taken(), budget.strangers.taken(), budget.address(Client::from(first.peer)).bytes.taken()),
            (0, 0, 0)
        );
    }

    #[test]
    fn one_identity_has_a_part_wherever_it_comes_from() {
        let budget = budget(LIMITS());
        let identity = Uidp::root_from([7; 20]);
        let mut address = 0_u8;
        let (loads, rule) = crowd(|| {
            address += 1;
            let line = line(&budget, &format!("192.0.2.{address}"));
            let load = Load::new(&line, line.peer);
            load.begin(0).and_then(|()| load.prove(Some(&identity))).map_err(|error| error.rule())?;
            Ok(load)
        });
        assert_eq!((loads.len(), rule), (64, Rule::MemoryShare));
        let refused = Load::new(&line(&budget, "192.0.2.200"), "192.0.2.200".parse().unwrap());
        refused.begin(0).unwrap();
        assert!(refused.prove(Some(&identity)).unwrap_err().message().contains("this identity has 1048576 bytes"));
        refused.prove(Some(&Uidp::root_from([8; 20]))).unwrap();
    }

    #[test]
    fn requests_of_one_address_are_counted() {
        let budget = budget(Limits { requests_per_address: 2, ..Limits::default() });
        let (one, two) = (line(&budget, "2001:db8::1"), line(&budget, "2001:db8::2"));
        let held = (begun(&one).unwrap(), begun(&two).unwrap());
        assert_eq!(begun(&one).err(), Some(Rule::TooManyRequests));
        // A proxy's connection carries requests of others.
        let other = Load::new(&one, "2001:db8:1::1".parse().unwrap());
        other.begin(0).unwrap();
        drop(held);
        begun(&one).unwrap();
    }

    #[test]
    fn answers_are_refused_only_where_nothing_changed() {
        let budget = budget(LIMITS());
        let line = line(&budget, "192.0.2.1");
        let load = Load::new(&line, line.peer);
        load.begin(0).unwrap();
        load.prove(Some(&Uidp::root_from([7; 20]))).unwrap();
        assert_eq!(load.answer(2 << 20, true).unwrap_err().rule(), Rule::MemoryShare);
        load.answer(2 << 20, false).unwrap();
        assert_eq!(budget.total.taken(), (16 << 10) + (2 << 20));
        drop(load);
        assert_eq!(budget.total.taken(), 0);
    }

    #[test]
    fn refusals_and_health_need_no_room_and_end_somewhere() {
        let budget = budget(Limits { memory_bytes: 0, ..Limits::default() });
        let line = line(&budget, "192.0.2.1");
        let ask = |begin: fn(&Load) -> Result<(), Error>| {
            let load = Load::new(&line, line.peer);
            (begin(&load).is_ok(), load.may_answer(), load)
        };
        let health: Vec<_> = std::iter::repeat_with(|| ask(|load| load.begin_health(false))).take(HEALTH).collect();
        assert!(health.iter().all(|(begun, may_answer, _)| *begun && *may_answer));
        let refusals: Vec<_> = std::iter::repeat_with(|| ask(|load| load.begin(0))).take(REFUSALS).collect();
        assert!(refusals.iter().all(|(begun, may_answer, _)| !begun && *may_answer));
        assert!(!ask(|load| load.begin_health(false)).1 && !ask(|load| load.begin(0)).1);
        drop((health, refusals));
        assert!(ask(|load| load.begin_health(false)).0 && ask(|load| load.begin(0)).1);
    }

    #[tokio::test]
    async fn answers_wait_until_those_before_are_sent() {
        let budget = budget(LIMITS());
        let line = line(&budget, "192.0.2.1");
        let first = begun(&line).unwrap();
        first.place(60).await.unwrap();
        let second = begun(&line).unwrap();
        second.place(60).await.unwrap();
        let third = begun(&line).unwrap();
        let mut waiting = Box::pin(third.place(10));
        assert!(futures::poll!(&mut waiting).is_pending());
        let part = first.part(Bytes::from_static(b"a part"));
        first.answer(30, true).unwrap();
        assert!(futures::poll!(&mut waiting).is_ready(), "the first became shorter");
        let fourth = begun(&line).unwrap();
        let mut waiting = Box::pin(fourth.place(10));
        assert!(futures::poll!(&mut waiting).is_pending());
        drop(first);
        assert!(futures::poll!(&mut waiting).is_pending(), "a part is on its way");
        drop(part);
        assert!(futures::poll!(&mut waiting).is_ready());
    }
}
