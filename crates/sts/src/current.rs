//! What is true now: how identities stand, and which keys are believed. It is remembered, and used only once it is certain
//! that every write which was acknowledged before the request arrived is known. See ADR 9.

mod metrics;
mod standings;

use std::{
    fmt,
    sync::{Arc, Weak},
    time::Duration,
};

use domain::{Error, Kind, Rule, Uidp, error::Detail};
use prometheus_client::registry::Registry;
use store::iam::standings::{self as rows, News, Seen};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

pub(crate) use self::metrics::{Entries, Lookups};
pub(crate) use self::standings::Held;
use self::{metrics::Metrics, standings::Standings};
use crate::keys::SigningKeys;

/// How long the database may take to tell what has changed.
const QUERY: Duration = Duration::from_secs(5);
/// How long a request waits until it is certain what is true: for a question that is under way, and for its own.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long nobody may have asked before a node asks for itself: it keeps up with the others while it has nothing to do, so
/// that who comes then finds everything remembered. One small query each second.
const IDLE: Duration = Duration::from_secs(1);
/// Steps of news that a request waits for, of 10,000 revisions each: some tens of milliseconds. A node that has missed more was
/// cut off or stood still, and begins anew.
const STEPS: usize = 16;
/// How often a request looks whether somebody else has read its identity, before it reads for itself alone.
const ATTEMPTS: u32 = 3;

/// What is remembered of the store's state. Cheap to clone; all clones share it.
#[derive(Clone)]
pub(crate) struct Current(Arc<Shared>);

struct Shared {
    keys: SigningKeys,
    standings: Standings,
    asks: mpsc::UnboundedSender<Ask>,
    metrics: Metrics,
}

/// Somebody who wants to know that everything acknowledged before now is known here.
type Ask = oneshot::Sender<Result<(), Arc<Error>>>;

impl Current {
    /// Remembers nothing yet. Must be called inside a tokio runtime.
    pub(crate) fn new(keys: SigningKeys) -> Self {
        let (asks, asked) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared { keys, standings: Standings::new(), asks, metrics: Metrics::new() });
        tokio::spawn(follow(Arc::downgrade(&shared), asked));
        Self(shared)
    }

    /// The signing keys, as they were when somebody last waited for [`Current::confirm`], or later.
    pub(crate) fn keys(&self) -> &SigningKeys {
        &self.0.keys
    }

    /// Adds what is counted here to `registry`.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let shared = Arc::downgrade(&self.0);
        let entries = move || shared.upgrade().map_or(0, |shared| shared.standings.len());
        let shared = Arc::downgrade(&self.0);
        let revision = move || shared.upgrade().map_or(0, |shared| usize::try_from(shared.standings.revision().0).unwrap_or(0));
        self.0.metrics.register(registry, entries, revision);
    }

    /// Returns when every write that was acknowledged before the call, by any node, is known here.
    ///
    /// # Errors
    /// Unavailable when that cannot be found out.
    pub(crate) async fn confirm(&self) -> Result<(), Error> {
        let shared = &*self.0;
        if shared.is_certain() {
            return Ok(());
        }
        let (ask, answer) = oneshot::channel();
        // Nobody takes questions when the runtime is going down.
        _ = shared.asks.send(ask);
        match timeout(PATIENCE, answer).await {
            Ok(Ok(outcome)) => outcome.map_err(|error| uncertain(&error)),
            Ok(Err(_)) | Err(_) => Err(uncertain(&late())),
        }
    }

    /// How the identity stands, if it exists: everything that was acknowledged before the call included. One query when the
    /// identity is not remembered, and another one for the keys when these have changed.
    ///
    /// # Errors
    /// Unavailable when that cannot be found out.
    pub(crate) async fn standing(&self, identity: &Uidp) -> Result<Option<Arc<Held>>, Error> {
        // Nobody to ask and nothing to wait for, as for most requests.
        if self.0.is_certain()
            && let Some(held) = self.0.standings.get(identity)
        {
            self.0.metrics.looked_up(true);
            return Ok(Some(held));
        }
        let found = timeout(PATIENCE, self.find(identity)).await.unwrap_or_else(|_| Err(uncertain(&late())));
        if let Ok((_, hit)) = &found {
            self.0.metrics.looked_up(*hit);
        }
        found.map(|(held, _)| held)
    }

    /// The identity's standing, and whether it was remembered.
    async fn find(&self, identity: &Uidp) -> Result<(Option<Arc<Held>>, bool), Error> {
        let shared = &*self.0;
        let mut place = None;
        for _ in 0..ATTEMPTS {
            place = shared.standings.get_or_place(identity).await;
            if place.is_some() {
                break;
            }
            // Whoever has read it may have done so before this request arrived.
            self.confirm().await?;
            if let Some(held) = shared.standings.get(identity) {
                return Ok((Some(held), true));
            }
        }
        let mut reader = shared.keys.store().reader().await.map_err(|error| uncertain(&error))?;
        let Seen { at, keys, standing } = rows::get(&mut reader, identity).await.map_err(|error| uncertain(&error))?;
        drop(reader);
        let held = standing.map(|standing| Arc::new(Held::new(standing)));
        if let Some(held) = &held {
            shared.standings.keep(identity, held, at, place);
        }
        // INVARIANT: the keys are of this state as well. Nothing that is read at another server than the last question was
        // asked is kept before the next one.
        if !shared.keys.ring().holds(&keys) || shared.standings.is_elsewhere(at) {
            self.confirm().await?;
        }
        Ok((held, false))
    }
}

impl Shared {
    /// Whether every write that was acknowledged before the call is known here, which takes no question where this process
    /// alone writes.
    fn is_certain(&self) -> bool {
        self.keys.store().published().is_some_and(|published| published == self.standings.revision())
    }

    /// Learns everything that has changed, and forgets what that makes doubtful. What one call does not manage in time the next
    /// need not do again.
    async fn catch_up(&self) -> Result<(), Error> {
        for _ in 0..STEPS {
            if !self.step().await? {
                return Ok(());
            }
        }
        let at = rows::position(&mut self.keys.store().reader().await?).await?;
        self.learn(News { at, more: false, changes: None }).await
    }

    /// Learns the next of what has changed, for nobody who waits. Says whether there is more.
    async fn keep_up(&self) -> Result<bool, Error> {
        if self.is_certain() { Ok(false) } else { self.step().await }
    }

    /// Learns the next of what has changed. Says whether there is more.
    async fn step(&self) -> Result<bool, Error> {
        let mut reader = self.keys.store().reader().await?;
        let news = rows::news(&mut reader, self.standings.position()).await?;
        // The keys are read by a snapshot of their own.
        drop(reader);
        let more = news.more;
        self.learn(news).await?;
        Ok(more)
    }

    async fn learn(&self, news: News) -> Result<(), Error> {
        let keys = domain::Noun::SigningKey;
        if news.changes.as_ref().is_none_or(|changes| changes.iter().any(|(noun, _)| *noun == keys)) {
            self.keys.follow().await?;
        }
        self.standings.apply(news);
        Ok(())
    }
}

/// Asks the store for all who wait, one question at a time, and for the node itself when nobody has asked for a while.
///
/// INVARIANT: who is answered has asked before the question began.
async fn follow(shared: Weak<Shared>, mut asked: mpsc::UnboundedReceiver<Ask>) {
    let (mut waiting, mut idle) = (Vec::new(), IDLE);
    loop {
        let arrived = timeout(idle, asked.recv_many(&mut waiting, usize::MAX)).await;
        let Some(shared) = shared.upgrade().filter(|_| arrived != Ok(0)) else { return };
        if arrived.is_err() {
            // Who asks next is told what is wrong, if it still is.
            let more = timeout(QUERY, shared.keep_up()).await.is_ok_and(|more| more.unwrap_or(false));
            idle = if more { Duration::ZERO } else { IDLE };
            continue;
        }
        let outcome = timeout(QUERY, shared.catch_up()).await.unwrap_or_else(|_| Err(late()));
        shared.metrics.asked(outcome.is_ok());
        let outcome = outcome.map_err(Arc::new);
        for ask in waiting.drain(..) {
            // Who does not wait any more needs no answer.
            _ = ask.send(outcome.clone());
        }
    }
}

fn late() -> Error {
    Error::new(Kind::Unavailable, Rule::Unavailable, "the database does not answer in time; retry in a moment")
}

/// Nobody is let in on what may be old.
fn uncertain(cause: &Error) -> Error {
    let (kind, rule) = match cause.kind() {
        Kind::ResourceExhausted => (Kind::ResourceExhausted, cause.rule()),
        _ => (Kind::Unavailable, Rule::Unavailable),
    };
    let why = match cause.kind() {
        Kind::ResourceExhausted | Kind::Unavailable => cause.message(),
        _ => "the storage failed; retry in a moment",
    };
    let message = format!("cannot check permissions: {why}");
    Error::new(kind, rule, message).with(Detail::RetryAfter(Duration::from_secs(1))).because(format!("{cause:?}"))
}

impl fmt::Debug for Current {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Current").field("keys", &self.0.keys).finish_non_exhaustive()
    }
}
