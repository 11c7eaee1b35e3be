//! The server: built from what the program gives it, then served on a listener.

use std::{fmt, ops::Deref, sync::Arc};

use domain::{
    Clock, EntityTags, Entropy,
    ports::{Authenticate, Preconditions, Ready, Refusals, Replays},
};
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Endpoint, Settings, StartError, Tls,
    budget::Budget,
    gate::{Gate, Methods},
    grpc::Extras,
    json::Routes,
    meta::Readiness,
    metrics::Metrics,
    observe::Traces,
    port::Port,
};

mod accept;
mod connection;
mod dispatch;
mod guard;
mod handshake;
mod operations;
mod respond;
mod seats;
mod streams;
mod unreadable;

use handshake::Handshakes;
pub use operations::Scrape;
use seats::Seats;

/// A server that is ready to be served.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) port: Port,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) traces: Option<Arc<dyn Traces>>,
    pub(crate) routes: Routes,
    pub(crate) extras: Extras,
    pub(crate) readiness: Arc<Readiness>,
    pub(crate) fallback: axum::Router,
    pub(crate) tls: Option<Tls>,
    /// What requests may hold.
    pub(crate) budget: Arc<Budget>,
    /// The places for connections, over all listeners.
    seats: Arc<Seats>,
    /// The places for TLS handshakes.
    handshakes: Handshakes,
}

impl Deref for Shared {
    type Target = Port;

    fn deref(&self) -> &Port {
        &self.port
    }
}

/// What a listener leads to.
#[derive(Clone)]
pub(crate) enum Door {
    /// The contract and the server's own paths.
    Api,
    /// What the operators' own tools read.
    Operations(Arc<dyn Scrape>),
}

/// Collects what a [`Server`] is made of.
#[derive(Default)]
pub struct Builder {
    settings: Settings,
    endpoints: Vec<Endpoint>,
    public: Vec<String>,
    authenticate: Option<Arc<dyn Authenticate>>,
    replays: Option<Arc<dyn Replays>>,
    refusals: Option<Arc<dyn Refusals>>,
    preconditions: Option<Arc<dyn Preconditions>>,
    clock: Option<Arc<dyn Clock>>,
    entropy: Option<Arc<dyn Entropy>>,
    tags: Option<EntityTags>,
    ready: Vec<Arc<dyn Ready>>,
    traces: Option<Arc<dyn Traces>>,
    fallback: axum::Router,
    tls: Option<Tls>,
}

impl Server {
    /// Begins to build a server.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Serves the listener until `stop` is cancelled. Clones may serve further listeners, which share the limits. Then no connection is accepted any more, requests under way may finish
    /// within the drain time, and this returns.
    pub async fn serve(self, listener: TcpListener, stop: CancellationToken) {
        self.shared.readiness.stops_with(stop.clone());
        accept::serve(self.shared, Door::Api, listener, stop).await;
    }

    /// Serves `/metrics`, written by `scrape`, with `/livez` and `/readyz` on a listener of its own, under the same limits and
    /// until the same end as [`Server::serve`]. Nobody is asked who calls: the listener belongs where only operators reach it.
    pub async fn serve_operations(self, listener: TcpListener, scrape: Arc<dyn Scrape>, stop: CancellationToken) {
        self.shared.readiness.stops_with(stop.clone());
        accept::serve(self.shared, Door::Operations(scrape), listener, stop).await;
    }

    /// Tells load balancers to send no further requests: from now on `/readyz` answers with status 503 and the health service
    /// `NOT_SERVING`, while everything is served as before. Returns after [`Limits::ready_drain`](crate::settings::Limits), by when
    /// they should have noticed; the server may then stop.
    pub async fn withdraw(&self) {
        self.shared.readiness.withdraw();
        tokio::time::sleep(self.shared.settings.limits.ready_drain).await;
    }

    /// What is counted about requests and connections. Those of [`Server::serve_operations`] are not.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }
}

impl Builder {
    /// Sizes, times, names and trusted proxies.
    #[must_use]
    pub fn settings(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    /// The handlers of the contract's methods. What has none answers UNIMPLEMENTED.
    #[must_use]
    pub fn endpoints(mut self, endpoints: impl IntoIterator<Item = Endpoint>) -> Self {
        self.endpoints.extend(endpoints);
        self
    }

    /// The methods that anybody may call although the contract does not say so, by full name (`/package.Service/Method`).
    #[must_use]
    pub fn public(mut self, methods: &[&str]) -> Self {
        self.public.extend(methods.iter().map(|name| (*name).to_owned()));
        self
    }

    /// Who judges API tokens. Required.
    #[must_use]
    pub fn authenticate(self, authenticate: Arc<dyn Authenticate>) -> Self {
        Self { authenticate: Some(authenticate), ..self }
    }

    /// Who remembers the answers of idempotent requests. Required.
    #[must_use]
    pub fn replays(self, replays: Arc<dyn Replays>) -> Self {
        Self { replays: Some(replays), ..self }
    }

    /// Who records what was refused. Required.
    #[must_use]
    pub fn refusals(self, refusals: Arc<dyn Refusals>) -> Self {
        Self { refusals: Some(refusals), ..self }
    }

    /// Who judges what has to be so beside rights before methods are called. Without, nothing has to.
    #[must_use]
    pub fn preconditions(self, preconditions: Arc<dyn Preconditions>) -> Self {
        Self { preconditions: Some(preconditions), ..self }
    }

    /// Where the present comes from. Required.
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// Where random bytes come from. Required.
    #[must_use]
    pub fn entropy(self, entropy: Arc<dyn Entropy>) -> Self {
        Self { entropy: Some(entropy), ..self }
    }

    /// What entity tags are made by. Required.
    #[must_use]
    pub fn entity_tags(self, tags: EntityTags) -> Self {
        Self { tags: Some(tags), ..self }
    }

    /// A part without which the server is not ready. May be called several times.
    #[must_use]
    pub fn ready(mut self, part: Arc<dyn Ready>) -> Self {
        self.ready.push(part);
        self
    }

    /// Who ties the spans of requests to those of their callers. Without, each request's span is the first of its trace.
    #[must_use]
    pub fn traces(self, traces: Arc<dyn Traces>) -> Self {
        Self { traces: Some(traces), ..self }
    }

    /// What answers paths outside the contract. It brings its own limits on bodies; answers of 404 and 405 without a body get
    /// the standard one.
    #[must_use]
    pub fn fallback(self, fallback: axum::Router) -> Self {
        Self { fallback, ..self }
    }

    /// Speak TLS alone.
    #[must_use]
    pub fn tls(self, tls: Option<Tls>) -> Self {
        Self { tls, ..self }
    }

    /// The server.
    ///
    /// # Errors
    /// When a method's access cannot be enforced, something is given twice, or a required part was not given.
    pub fn build(self) -> Result<Server, StartError> {
        let public: Vec<_> = self.public.iter().map(String::as_str).collect();
        let methods = Methods::new(&self.endpoints, &public, self.preconditions.as_deref())?;
        let gate = Gate {
            authenticate: self.authenticate.ok_or(StartError::Missing("authenticate"))?,
            replays: self.replays.ok_or(StartError::Missing("replays"))?,
            refusals: self.refusals.ok_or(StartError::Missing("refusals"))?,
            preconditions: self.preconditions,
            clock: self.clock.ok_or(StartError::Missing("clock"))?,
            entropy: self.entropy.ok_or(StartError::Missing("entropy"))?,
            tags: self.tags.ok_or(StartError::Missing("entity_tags"))?,
            tasks: TaskTracker::new(),
        };
        let readiness = Arc::new(Readiness::new(self.ready, self.settings.limits.ready_timeout));
        let (metrics, limits) = (Metrics::new(), &self.settings.limits);
        let shared = Shared {
            budget: Budget::new(limits.clone(), Arc::clone(&metrics)),
            seats: Seats::new(limits.connections, limits.connections_per_address),
            handshakes: Handshakes::new(limits.handshakes),
            metrics,
            traces: self.traces,
            port: Port { settings: self.settings, gate, methods },
            routes: Routes::new()?,
            extras: Extras::new(Arc::clone(&readiness))?,
            readiness,
            fallback: self.fallback,
            tls: self.tls,
        };
        Ok(Server { shared: Arc::new(shared) })
    }
}

fn permits(count: usize) -> usize {
    count.clamp(1, Semaphore::MAX_PERMITS)
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("endpoints", &self.endpoints).field("public", &self.public).finish_non_exhaustive()
    }
}
