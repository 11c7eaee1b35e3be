//! What keeps events going out: it routes, and gives turns to subscriptions.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::{Clock, Entropy, Result, Timestamp, Uidp, ports::RenderEvent};
use prometheus_client::registry::Registry;
use store::{
    Store,
    deliveries::{self, Claim, Delivery},
};
use sts::Webhooks;
use tokio::{
    task::JoinSet,
    time::{Instant, MissedTickBehavior, interval, timeout},
};

use crate::{
    Settings,
    metrics::Metrics,
    routing::Router,
    settings::later,
    shared::Inner,
    turn::{TURN, Turn},
};

/// How often the outbox and the deliveries are looked at.
const TICK: Duration = Duration::from_millis(250);
/// How often what waits is measured, and dead letters are cleared away.
const ROUND: Duration = Duration::from_secs(15);
/// How much longer than a turn a lease lasts, for a node that is slow.
const SLACK: Duration = Duration::from_secs(30);
/// How long a server that stops waits for requests under way.
const GRACE: Duration = Duration::from_secs(2);

/// Delivers events. One for each node.
pub struct Deliverer {
    inner: Arc<Inner>,
    router: Router,
    /// Whose turns are under way, and whether the sink failed last.
    running: HashMap<Uidp, bool>,
    turns: JoinSet<Uidp>,
    swept: String,
    failing: bool,
}

/// What a deliverer works with.
pub struct Parts {
    /// Where events and how far subscriptions have come are.
    pub store: Store,
    /// What sends.
    pub webhooks: Webhooks,
    /// What writes events.
    pub renderer: Arc<dyn RenderEvent>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// What names this node, and nothing else.
    pub entropy: Arc<dyn Entropy>,
    /// The settings.
    pub settings: Settings,
    /// The URL of the API, with which sources of events begin.
    pub base_url: String,
    /// A name that no other node has.
    pub node: String,
    /// Whether no other node can have the database open.
    pub alone: bool,
}

impl Deliverer {
    /// A deliverer that goes on where nodes have left off. Events that are announced after that are delivered.
    ///
    /// # Errors
    /// Whatever keeps the store from reading or writing.
    pub async fn start(parts: Parts) -> Result<Self> {
        let Parts { store, webhooks, renderer, clock, entropy, settings, base_url, node, alone } = parts;
        let stopping = AtomicBool::new(false);
        let metrics = Metrics::new();
        let inner = Inner { store, webhooks, renderer, clock, entropy, settings, base_url, node, metrics, stopping };
        let mark = inner.store.begin_deliveries(&inner.ctx()).await?;
        if alone {
            // Those of a process that was killed.
            inner.store.end_leases(&inner.ctx()).await?;
        }
        let router = Router::new(inner.store.clone(), mark);
        let (running, turns, swept) = (HashMap::new(), JoinSet::new(), String::new());
        Ok(Self { inner: Arc::new(inner), router, running, turns, swept, failing: false })
    }

    /// Makes its metrics part of what is told.
    pub fn register(&self, registry: &mut Registry) {
        self.inner.metrics.register(registry, Arc::clone(&self.inner.clock));
    }

    /// Delivers until `stop`.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut round = Instant::now();
        loop {
            tokio::select! {
                () = &mut stop => break,
                _ = ticks.tick() => {}
                Some(ended) = self.turns.join_next() => self.ended(ended.ok()),
            }
            let mut outcome = self.work().await;
            if outcome.is_ok() && round.elapsed() >= ROUND {
                round = Instant::now();
                outcome = self.tidy().await;
            }
            match outcome {
                Ok(()) => self.failing = false,
                Err(error) if !self.failing => {
                    tracing::warn!(?error, "cannot deliver events now; nothing is lost");
                    self.failing = true;
                }
                Err(_) => {}
            }
        }
        self.inner.stopping.store(true, Ordering::Relaxed);
        let ended = async { while self.turns.join_next().await.is_some() {} };
        // What is under way after that is sent again.
        _ = timeout(GRACE, ended).await;
        self.turns.shutdown().await;
    }

    async fn work(&mut self) -> Result<()> {
        if self.inner.settings.at_once == 0 {
            return Ok(());
        }
        // A bounded number of steps, so that claims come to their turn.
        for _ in 0..16 {
            if !self.router.advance(&self.inner.ctx()).await? {
                break;
            }
        }
        self.fill().await
    }

    /// Gives turns to those that wait longest, as far as there is room for them.
    async fn fill(&mut self) -> Result<()> {
        let settings = self.inner.settings;
        for _ in 0..8 {
            let free = settings.at_once.saturating_sub(self.turns.len());
            if free == 0 {
                return Ok(());
            }
            let now = self.inner.clock.now();
            let but = self.full();
            let healthy = self.failing_turns() >= settings.for_failing();
            let mut reader = self.inner.store.reader().await?;
            let found = deliveries::claimable(&mut reader, now, &but, healthy, free).await?;
            drop(reader);
            let chosen = self.choose(found);
            if chosen.is_empty() {
                return Ok(());
            }
            let until = later(now, TURN + settings.timeout + SLACK);
            let claim = Claim { subscriptions: chosen, node: self.inner.node.clone(), until };
            for delivery in self.inner.store.claim_deliveries(&self.inner.ctx(), claim).await? {
                self.begin(delivery);
            }
        }
        Ok(())
    }

    /// The first of those for which there is room.
    fn choose(&self, found: Vec<Delivery>) -> Vec<Uidp> {
        let settings = self.inner.settings;
        let mut failing = self.failing_turns();
        let mut organizations: HashMap<String, usize> = HashMap::new();
        let mut chosen = Vec::with_capacity(found.len());
        for delivery in found {
            let root = delivery.subscription.root_text().to_owned();
            let taken = self.turns_of(&root);
            let more = organizations.entry(root).or_default();
            let is_failing = delivery.attempts > 0;
            // A clock that jumps ends leases early.
            if self.running.contains_key(&delivery.subscription) {
                continue;
            }
            if taken + *more >= settings.per_organization() || is_failing && failing >= settings.for_failing() {
                continue;
            }
            *more += 1;
            failing += usize::from(is_failing);
            chosen.push(delivery.subscription);
        }
        chosen
    }

    fn begin(&mut self, delivery: Delivery) {
        let subscription = delivery.subscription.clone();
        self.running.insert(subscription.clone(), delivery.attempts > 0);
        let turn = Turn::new(Arc::clone(&self.inner), delivery);
        self.turns.spawn(async move {
            turn.run().await;
            subscription
        });
    }

    fn ended(&mut self, subscription: Option<Uidp>) {
        if let Some(subscription) = subscription {
            self.running.remove(&subscription);
        } else {
            tracing::error!("a delivery has ended early");
        }
        if self.turns.is_empty() {
            // However they ended.
            self.running.clear();
        }
    }

    fn turns_of(&self, organization: &str) -> usize {
        self.running.keys().filter(|subscription| subscription.root_text() == organization).count()
    }

    fn failing_turns(&self) -> usize {
        self.running.values().filter(|failing| **failing).count()
    }

    /// The organizations that have all the turns that one gets.
    fn full(&self) -> Vec<String> {
        let most = self.inner.settings.per_organization();
        let roots: BTreeSet<&str> = self.running.keys().map(Uidp::root_text).collect();
        roots.into_iter().filter(|root| self.turns_of(root) >= most).map(ToOwned::to_owned).collect()
    }

    async fn tidy(&mut self) -> Result<()> {
        let inner = &*self.inner;
        let mut reader = inner.store.reader().await?;
        let backlog = deliveries::backlog(&mut reader).await?;
        drop(reader);
        inner.metrics.set_backlog(backlog);
        let kept = i64::try_from(inner.settings.keep_dead_letters.as_millis()).unwrap_or(i64::MAX);
        let before = Timestamp(inner.clock.now().0.saturating_sub(kept));
        self.swept = inner.store.sweep_dead_letters(&inner.ctx(), before, std::mem::take(&mut self.swept)).await?;
        Ok(())
    }
}

impl fmt::Debug for Deliverer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deliverer").field("node", &self.inner.node).finish_non_exhaustive()
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("node", &self.node).finish_non_exhaustive()
    }
}
