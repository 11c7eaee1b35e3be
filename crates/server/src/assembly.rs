//! Putting the server together, and taking it down.

use std::{io::ErrorKind, net::SocketAddr, sync::Arc};

use api::Endpoint;
use delivery::{Deliverer, Parts};
use domain::{Clock, Entropy};
use gateway::Server;
use services::{AuditRefusals, Bootstrap, Feeds, ReplayStore, RequiredTerms, UseCases, iam::identity_providers::renew_all};
use store::Database;
use sts::{
    Authenticator, Clouds, Exchange, Issuers, Provider, RelationshipCheck, SigningKeys, Webhooks, Workers,
    issuers::SystemResolver,
};
use tokio::{net::TcpListener, sync::Notify};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    Core, DevAccount, Operators, Settings, StartError, SystemEntropy,
    admin::{
        Admin,
        socket::{self, AdminSocket},
    },
    dev, heads,
    ready::StoreReady,
    record::Record,
    retention::Keeper,
    settings::{METRICS_LISTEN, Urls},
    telemetry::Telemetry,
    tls,
};

/// The methods that anybody may call although the contract does not say so: they judge the presented token themselves.
const PUBLIC: [&str; 3] = [
    "/chainguard.platform.oidc.SecurityTokenService/Exchange",
    "/chainguard.platform.oidc.SecurityTokenService/ExchangeRefreshToken",
    "/chainguard.platform.auth.Auth/GetHeadlessSession",
];

/// A server that answers.
#[derive(Debug)]
pub struct Running {
    /// Where it listens; the first address where there are several.
    pub addr: SocketAddr,
    /// All addresses where it listens.
    pub addrs: Vec<SocketAddr>,
    /// Where it tells its metrics, if anywhere.
    pub metrics_addr: Option<SocketAddr>,
    /// The URL under which clients reach it.
    pub base_url: String,
    /// Whether there is no organization yet.
    pub is_empty: bool,
    /// In dev mode: whom it knows from the start.
    pub dev: Option<DevAccount>,
    /// Who mints tokens for its operators.
    pub operators: Operators,
    server: Server,
    core: Core,
    stop: CancellationToken,
    tasks: TaskTracker,
    look: Arc<Notify>,
}

/// Starts a server. Its time and its randomness come from `clock` and `entropy` alone.
///
/// # Errors
/// When a setting must not be, the address is taken, another process holds the data folder, or folder or keys cannot be
/// used.
pub async fn assemble(settings: Settings, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Result<Running, StartError> {
    // What all of it keeps between its steps is too large for the stacks of its callers.
    Box::pin(assembled(settings, clock, entropy)).await
}

async fn assembled(settings: Settings, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Result<Running, StartError> {
    settings.check()?;
    if let Some(exposure) = settings.exposure() {
        tracing::warn!("{exposure}");
    }
    refuse_shared_folder(&settings).await?;
    let listeners = Listeners::bind(&settings, &clock).await?;
    let urls = settings.urls_at(listeners.addr);
    let base_url = urls.base.clone();
    let sts = sts_settings(&settings, urls);
    let core = Core::open(&settings.data, &settings.database, &settings.key_path(), sts, clock, entropy).await?;
    match start(&settings, core.clone(), listeners, base_url).await {
        Ok(running) => Ok(running),
        Err(error) => {
            core.store.close().await;
            Err(error)
        }
    }
}

/// SQLite's folder has a lock. On PostgreSQL two servers in one folder would take each other's socket away.
async fn refuse_shared_folder(settings: &Settings) -> Result<(), StartError> {
    if matches!(settings.database, Database::Sqlite) || !socket::is_answered(&settings.data).await {
        return Ok(());
    }
    let message =
        format!("a server is running on {}; give each one a data folder of its own with --data", settings.data.display());
    Err(StartError::outside(message))
}

async fn start(settings: &Settings, core: Core, listeners: Listeners, base_url: String) -> Result<Running, StartError> {
    let bootstrap = Bootstrap::new(core.store.clone());
    bootstrap.built_in_roles(&core.system("update built-in roles")).await?;
    if core.root.has_others() {
        // What a change of the key has not come to.
        renew_all(&core.store, &*core.sealer(), &core.system("renew client secrets")).await?;
    }
    let last = Record::read(&settings.data)?;
    let dev = if settings.dev { Some(dev::account(&core, &base_url, last.as_ref()).await?) } else { None };
    let is_empty = bootstrap.is_empty().await?;
    Record::of(settings, &base_url).write(&settings.data)?;
    let mut telemetry = Telemetry::new(&core);
    let Listeners { api, addr, tls, metrics } = listeners;
    let addrs = api.iter().filter_map(|listener| listener.local_addr().ok()).collect();
    let (tls, watch) = tls.unzip();
    let server = server(settings, &core, tls, &base_url, &mut telemetry)?;
    let metrics_addr = metrics.as_ref().and_then(|listener| listener.local_addr().ok());
    let deliverer = deliverer(settings, &core, &base_url).await?;
    deliverer.register(telemetry.registry());
    let (stop, tasks, operators) = (CancellationToken::new(), TaskTracker::new(), core.operators());
    match AdminSocket::bind(&settings.data) {
        Ok(socket) => drop(tasks.spawn(socket.serve(Arc::new(Admin::new(core.clone())), stop.clone()))),
        Err(error) => {
            let path = socket::path_in(&settings.data);
            tracing::warn!(%error, path = %path.display(), "no admin socket: `provost admin` will not reach this server");
        }
    }
    tasks.spawn(heads::tell(core.store.clone(), stop.clone()));
    let keeper = Keeper {
        store: core.store.clone(),
        settings: settings.retention,
        clock: Arc::clone(&core.clock),
        entropy: Arc::clone(&core.entropy),
    };
    tasks.spawn(keeper.run(stop.clone()));
    tasks.spawn(deliverer.run(stop.clone().cancelled_owned()));
    tasks.spawn(SigningKeys::clone(&core.signing).keep(stop.clone().cancelled_owned()));
    let look = Arc::new(Notify::new());
    if let Some(watch) = watch {
        tasks.spawn(watch.run(Arc::clone(&look), stop.clone()));
    }
    if let Some(listener) = metrics {
        tasks.spawn(server.clone().serve_operations(listener, Arc::new(telemetry), stop.clone()));
    }
    for listener in api {
        tasks.spawn(server.clone().serve(listener, stop.clone()));
    }
    tasks.close();
    Ok(Running { addr, addrs, metrics_addr, base_url, is_empty, dev, operators, server, core, stop, tasks, look })
}

impl Running {
    /// Looks at once at files that are watched: the certificate and its key.
    pub fn reload(&self) {
        self.look.notify_one();
    }

    /// Stops. First load balancers are told, for [`gateway::Limits::ready_drain`]; then there are no new connections, requests under
    /// way may finish, and everything queued is written. Returns when all is done.
    pub async fn stop(self) {
        let Self { server, core, stop, tasks, .. } = self;
        server.withdraw().await;
        stop.cancel();
        drop(server);
        tasks.wait().await;
        heads::tell_once(&core.store, &mut None).await;
        core.store.close().await;
    }

    /// An exchange of its own for this server's identities and keys.
    #[must_use]
    pub fn exchange(&self) -> Exchange {
        exchange(&self.core, Workers::new(&self.core.sts))
    }

    /// The store, for tests that look behind the API.
    #[must_use]
    pub fn store(&self) -> &store::Store {
        &self.core.store
    }
}

/// The open doors.
struct Listeners {
    api: Vec<TcpListener>,
    /// The first one's address.
    addr: SocketAddr,
    tls: Option<(gateway::Tls, tls::Watch)>,
    metrics: Option<TcpListener>,
}

impl Listeners {
    async fn bind(settings: &Settings, clock: &Arc<dyn Clock>) -> Result<Self, StartError> {
        let tls = match settings.tls_files() {
            Some(files) => Some(tls::start(&files, Arc::clone(clock)).await?),
            None => None,
        };
        let (api, addr) = listen(&settings.listen).await?;
        let metrics = match settings.metrics_listen {
            None => None,
            Some(address) => match TcpListener::bind(address).await {
                Ok(listener) => Some(listener),
                // Several servers on one machine start without being told about each other's default.
                Err(error) if address == METRICS_LISTEN && error.kind() == ErrorKind::AddrInUse => {
                    tracing::warn!(%address, "no metrics: another server has the default address; --metrics-listen names another");
                    None
                }
                Err(error) => return Err(StartError::while_doing(format!("cannot tell metrics on {address}"), &error)),
            },
        };
        Ok(Self { api, addr, tls, metrics })
    }
}

/// Listens on every address, and answers the first one as it is: port 0 has become a number.
async fn listen(addresses: &[SocketAddr]) -> Result<(Vec<TcpListener>, SocketAddr), StartError> {
    let (mut listeners, mut first) = (Vec::new(), None);
    for address in addresses {
        let failed = |error| StartError::while_doing(format!("cannot listen on {address}"), &error);
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        first = first.or(Some(listener.local_addr().map_err(failed)?));
        listeners.push(listener);
    }
    let first = first.ok_or_else(|| StartError::setting("--listen names no address"))?;
    Ok((listeners, first))
}

/// The settings of the token service of a server that is known as `urls`.
#[must_use]
pub fn sts_settings(settings: &Settings, urls: Urls) -> sts::Settings {
    let dev = settings.dev.then(|| Provider { issuer: dev::issuer(&urls.base), audiences: Vec::new() });
    let mut sts = sts::Settings::from(urls);
    sts.allow_loopback_http = settings.dev;
    sts.allow_private_addresses = settings.outbound.allow_private_addresses;
    sts.allow = settings.outbound.allow.clone();
    sts.deny = settings.outbound.deny.clone();
    sts.aws_sts_url.clone_from(&settings.outbound.aws_sts_url);
    sts.google_sts_url.clone_from(&settings.outbound.google_sts_url);
    sts.google_iam_credentials_url.clone_from(&settings.outbound.google_iam_credentials_url);
    sts.azure_login_url.clone_from(&settings.outbound.azure_login_url);
    sts.limits.connect_timeout = settings.outbound.connect_timeout;
    sts.limits.fetch_timeout = settings.outbound.timeout;
    sts.limits.work_threads = settings.patterns.threads;
    sts.limits.work_waiting = settings.patterns.waiting;
    sts.limits.work_timeout = settings.patterns.timeout;
    sts.limits.compiled_memory = settings.patterns.memory as u64;
    sts.limits.session_lifetime = settings.sessions.lifetime;
    sts.limits.session_idle = settings.sessions.idle;
    sts.limits.sessions_per_user = settings.sessions.per_user;
    sts.providers = settings.providers.iter().cloned().chain(dev).collect();
    sts
}

fn server(
    settings: &Settings,
    core: &Core,
    tls: Option<gateway::Tls>,
    base_url: &str,
    telemetry: &mut Telemetry,
) -> Result<Server, StartError> {
    let store = || core.store.clone();
    let port = gateway::Settings {
        limits: settings.limits.clone(),
        trusted_proxies: settings.trusted_proxies.clone(),
        ..gateway::Settings::default()
    };
    let authenticate = Arc::new(Authenticator::new(core.tokens.clone(), core.sts.base_url.clone()));
    authenticate.register(telemetry.registry());
    let mut routes = api::issuer::routes(&core.sts, core.signing.ring(), Arc::clone(&core.clock));
    if settings.dev {
        let idp = devidp::DevIdp::new(base_url, Arc::clone(&core.clock), Arc::clone(&core.entropy))?;
        routes = routes.merge(idp.router());
    }
    let refusals = Arc::new(AuditRefusals::new(store()));
    routes = routes.merge(api::feeds::routes(api::feeds::FeedParts {
        feeds: Feeds::new(store(), settings.data.clone()),
        authenticate: Arc::clone(&authenticate) as _,
        refusals: Arc::clone(&refusals) as _,
        clock: Arc::clone(&core.clock),
        entropy: Arc::clone(&core.entropy),
        tags: sts::entity_tags(&core.root)?,
        base_url: base_url.to_owned(),
    }));
    let builder = Server::builder()
        .settings(port)
        .endpoints(endpoints(settings, core, telemetry))
        .public(&PUBLIC)
        .authenticate(Arc::clone(&authenticate) as _)
        .replays(Arc::new(ReplayStore::new(store())))
        .refusals(refusals)
        .clock(Arc::clone(&core.clock))
        .entropy(Arc::clone(&core.entropy))
        .entity_tags(sts::entity_tags(&core.root)?)
        .ready(Arc::new(StoreReady(store())))
        .ready(Arc::clone(&core.signing) as _)
        .ready(authenticate)
        .fallback(routes)
        .tls(tls);
    let builder = if settings.terms.is_empty() {
        builder
    } else {
        builder.preconditions(Arc::new(RequiredTerms::new(store(), settings.terms.as_slice().into())))
    };
    #[cfg(feature = "otel")]
    let builder = builder.traces(Arc::new(super::otel::Callers::default()));
    let built = builder.build();
    let server = built.map_err(|error| StartError::while_doing("the contract cannot be served", &error))?;
    server.metrics().register(telemetry.registry());
    Ok(server)
}

async fn deliverer(settings: &Settings, core: &Core, base_url: &str) -> Result<Deliverer, StartError> {
    let delivery::Settings { timeout, at_once, .. } = settings.events;
    let webhooks = Webhooks::new(&core.sts, core.tokens.clone(), Arc::new(SystemResolver), timeout, at_once);
    // Not of the server's entropy: it names the process and nothing that is kept.
    let mut name = [0; 16];
    SystemEntropy::default().fill(&mut name)?;
    let parts = Parts {
        store: core.store.clone(),
        webhooks,
        renderer: Arc::new(api::Events::new(&core.sts.auth_url)),
        clock: Arc::clone(&core.clock),
        entropy: Arc::clone(&core.entropy),
        settings: settings.events,
        base_url: base_url.to_owned(),
        node: format!("{:032x}", u128::from_be_bytes(name)),
        alone: matches!(settings.database, Database::Sqlite),
    };
    Ok(Deliverer::start(parts).await?)
}

fn exchange(core: &Core, workers: Workers) -> Exchange {
    let (store, settings) = (core.store.clone(), Arc::clone(&core.sts));
    Exchange::new(store, core.tokens.clone(), core.sessions.clone(), Issuers::new(&core.sts), settings, workers)
}

fn endpoints(settings: &Settings, core: &Core, telemetry: &mut Telemetry) -> Vec<Endpoint> {
    let seal = core.sealer();
    let decided = services::Settings {
        self_service_organizations: settings.self_service_organizations,
        registry_host: core.sts.registry_host.clone().unwrap_or_default(),
        auth_url: core.sts.auth_url.clone(),
        self_approval: settings.self_approval,
        terms: settings.terms.as_slice().into(),
    };
    let workers = Workers::new(&core.sts);
    workers.register(telemetry.registry());
    let relationships = Arc::new(RelationshipCheck::new(&core.sts, workers.clone()));
    let exchange = exchange(core, workers);
    exchange.register(telemetry.registry());
    let urls = Arc::new(core.sts.url_policy());
    let clouds = Clouds::new(core.tokens.clone(), &core.sts);
    clouds.register(telemetry.registry());
    api::endpoints(&UseCases::new(&core.store, &seal, &decided, relationships, urls, Arc::new(clouds)), &exchange)
}
