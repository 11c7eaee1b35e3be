//! A server with fakes behind it, and clients for it.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use async_trait::async_trait;
use bytes::{Buf as _, BufMut as _, Bytes};
use contract::{
    Reply, Rpc,
    chainguard::platform::{
        iam::v2beta1::{
            Group, ListGroupsResponse,
            rpc::{CreateGroup, DeleteGroup, GetGroup, ListGroups, UpdateGroup},
        },
        oidc::{RawToken, rpc::Exchange},
        ping::v2beta1::rpc::Ping,
    },
};
use domain::{
    Caller, CapabilitySet, Clock, Ctx, Entropy, Error, Grant, Grants, LentSecret, Narrowing, Noun, Place, Revision, Rule, Scopes,
    Timestamp, Uidp, Version, Versioned, Violations,
    ctx::IdempotencyClaim,
    ports::{Authenticate, Fitness, Ready, Refusals, Replay, Replays},
};
use gateway::{Endpoint, Limits, Server, Settings, Tls};
use prometheus_client::{encoding::text::encode, registry::Registry};
use reqwest::Method;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::{
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::Channel,
};

pub(crate) const PUBLIC: [&str; 3] = [
    "/chainguard.platform.oidc.SecurityTokenService/Exchange",
    "/chainguard.platform.oidc.SecurityTokenService/ExchangeRefreshToken",
    "/chainguard.platform.auth.Auth/GetHeadlessSession",
];
pub(crate) const GROUPS: &str = "/chainguard.platform.iam.v2beta1.GroupsService";

/// The organization where the fakes' grants are.
pub(crate) fn org() -> Uidp {
    Uidp::root_from([0xa1; 20])
}

/// A group below it whose handler does what its number says.
pub(crate) fn group(number: u8) -> Uidp {
    org().child([number; 8])
}

pub(crate) const GONE: u8 = 0x04;
pub(crate) const PANICS: u8 = 0xdd;
pub(crate) const SLOW: u8 = 0x51;
/// A name that makes `CreateGroup` do nothing but keep the request's context.
pub(crate) const KEPT: &str = "kept";
/// A name that begins so makes `CreateGroup` find as many faults as its first number says, as long as its second says.
pub(crate) const MANY_FAULTS: &str = "faults ";

/// What the handlers saw, and knobs for them.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) created: AtomicUsize,
    /// What `CreateGroup` keeps of requests for a group of the name [`KEPT`], which it never answers.
    pub(crate) contexts: Mutex<Vec<Arc<Ctx>>>,
    pub(crate) listed: AtomicUsize,
    pub(crate) running: AtomicUsize,
    pub(crate) most_running: AtomicUsize,
    pub(crate) slow_for: Mutex<Duration>,
    pub(crate) refused: Mutex<Vec<String>>,
    pub(crate) kept: Mutex<HashMap<[u8; 32], Kept>>,
    /// Whether the handlers refuse what the gate lets through.
    pub(crate) revoked: AtomicBool,
    pub(crate) asked_ready: AtomicUsize,
    pub(crate) not_ready: Mutex<Option<&'static str>>,
    pub(crate) degraded: Mutex<Option<&'static str>>,
}

/// The digest of a request and its answer.
type Kept = ([u8; 32], Replay);

pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) world: Arc<World>,
    pub(crate) stop: CancellationToken,
    pub(crate) ended: tokio::task::JoinHandle<()>,
    server: Server,
    http: reqwest::Client,
}

/// What an HTTP request was answered.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) headers: http::HeaderMap,
    pub(crate) text: String,
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {:?}", self.text))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Status, code, rule and message of an error in the standard form.
    pub(crate) fn error(&self) -> (u16, i64, String, String) {
        let json = self.json();
        let info = &json["details"][0];
        assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo", "{json}");
        assert_eq!(self.header("content-type"), "application/json");
        let rule = info["metadata"]["rule"].as_str().unwrap().to_owned();
        (self.status, json["code"].as_i64().unwrap(), rule, json["message"].as_str().unwrap().to_owned())
    }
}

pub(crate) async fn start() -> Running {
    start_with(Settings::default(), axum::Router::new()).await
}

pub(crate) async fn start_limited(limits: Limits) -> Running {
    start_with(Settings { limits, ..Settings::default() }, axum::Router::new()).await
}

pub(crate) async fn start_with(settings: Settings, fallback: axum::Router) -> Running {
    start_server(settings, fallback, None).await
}

pub(crate) async fn start_tls(settings: Settings, tls: Tls) -> Running {
    start_server(settings, axum::Router::new(), Some(tls)).await
}

async fn start_server(settings: Settings, fallback: axum::Router, tls: Option<Tls>) -> Running {
    let world = Arc::new(World::default());
    let server = Server::builder()
        .settings(settings)
        .endpoints(endpoints(&world))
        .public(&PUBLIC)
        .authenticate(Arc::new(Tokens))
        .replays(Arc::new(Fakes(world.clone())))
        .refusals(Arc::new(Fakes(world.clone())))
        .ready(Arc::new(Fakes(world.clone())))
        .clock(Arc::new(Still))
        .entropy(Arc::new(Counted::default()))
        .entity_tags(domain::EntityTags::default())
        .fallback(fallback)
        .tls(tls)
        .build()
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let ended = tokio::spawn(server.clone().serve(listener, stop.clone()));
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    Running { address, world, stop, ended, server, http }
}

impl Running {
    /// Listens at another address too.
    pub(crate) async fn listen_too(&self) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(self.server.clone().serve(listener, self.stop.clone()));
        address
    }

    /// Tells load balancers to go elsewhere; returns when they should have noticed.
    pub(crate) async fn withdraw(&self) {
        self.server.withdraw().await;
    }

    /// How many bytes requests hold at this moment, as the budget counts them.
    pub(crate) fn bytes_under_way(&self) -> usize {
        let (mut registry, mut text) = (Registry::default(), String::new());
        self.server.metrics().register(&mut registry);
        encode(&mut text, &registry).unwrap();
        let told = text.lines().find_map(|line| line.strip_prefix("under_way_bytes "));
        told.unwrap().parse().unwrap()
    }

    pub(crate) fn request(&self, verb: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(verb, format!("http://{}{path}", self.address))
    }

    pub(crate) async fn send(&self, request: reqwest::RequestBuilder) -> Answered {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Answered { status, headers, text: response.text().await.unwrap() }
    }

    /// A request of the organization's owner.
    pub(crate) async fn owner(&self, verb: Method, path: &str, body: Option<&str>) -> Answered {
        let mut request = self.request(verb, path).bearer_auth("owner");
        if let Some(body) = body {
            request = request.body(body.to_owned());
        }
        self.send(request).await
    }

    pub(crate) async fn channel(&self) -> Channel {
        Channel::from_shared(format!("http://{}", self.address)).unwrap().connect().await.unwrap()
    }

    /// A gRPC call with metadata.
    pub(crate) async fn grpc<T: contract::Message>(
        &self,
        path: &str,
        message: &T,
        metadata: &[(&'static str, &str)],
    ) -> Result<tonic::Response<Bytes>, tonic::Status> {
        call(self.channel().await, path, message, metadata).await
    }
}

pub(crate) async fn call<T: contract::Message>(
    channel: Channel,
    path: &str,
    message: &T,
    metadata: &[(&'static str, &str)],
) -> Result<tonic::Response<Bytes>, tonic::Status> {
    let mut grpc = tonic::client::Grpc::new(channel);
    grpc.ready().await.unwrap();
    let mut request = tonic::Request::new(Bytes::from(message.encode_to_vec()));
    for (name, value) in metadata {
        request.metadata_mut().insert(*name, value.parse().unwrap());
    }
    grpc.unary(request, path.parse().unwrap(), Raw).await
}

/// A codec for the client's side that leaves messages encoded.
#[derive(Clone, Copy)]
pub(crate) struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = tonic::Status;

    fn encode(&mut self, item: Bytes, out: &mut EncodeBuf<'_>) -> Result<(), tonic::Status> {
        out.put(item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = tonic::Status;

    fn decode(&mut self, input: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, tonic::Status> {
        Ok(Some(input.copy_to_bytes(input.remaining())))
    }
}

pub(crate) fn endpoints(world: &Arc<World>) -> Vec<Endpoint> {
    let get = world.clone();
    let create = world.clone();
    let list = world.clone();
    vec![
        Endpoint::new::<GetGroup, _, _, _>(move |ctx: Arc<Ctx>, request| {
            let world = get.clone();
            async move { get_group(&world, ctx, request.uid).await }
        }),
        Endpoint::new::<ListGroups, _, _, _>(move |ctx: Arc<Ctx>, _| {
            list.listed.fetch_add(1, SeqCst);
            async move {
                let groups = match &*ctx.scopes() {
                    Scopes::All => vec![named("everything")],
                    Scopes::Subtrees(roots) => {
                        roots.iter().map(|root| Group { uid: root.to_string(), ..named("root") }).collect()
                    }
                };
                Ok(ListGroupsResponse { groups, ..ListGroupsResponse::default() })
            }
        }),
        Endpoint::new::<CreateGroup, _, _, _>(move |ctx: Arc<Ctx>, request| {
            let world = create.clone();
            async move {
                if world.revoked.load(SeqCst) {
                    return Err(Error::denied(Rule::CapabilityMissing, "taken away"));
                }
                let name = request.group.map(|group| group.name).unwrap_or_default();
                if name == KEPT {
                    world.contexts.lock().unwrap().push(ctx);
                    std::future::pending::<()>().await;
                    unreachable!();
                }
                let number = world.created.fetch_add(usize::from(!ctx.validate_only), SeqCst);
                if let Some(wish) = name.strip_prefix(MANY_FAULTS) {
                    let mut numbers = wish.split(' ').map(|number| number.parse::<usize>().unwrap());
                    let (faults, length) = (numbers.next().unwrap(), numbers.next().unwrap());
                    let mut violations = Violations::default();
                    (0..faults).for_each(|fault| violations.add(format!("list[{fault}]"), "x".repeat(length)));
                    violations.check()?;
                } else if let Some(echo) = name.strip_prefix("echo ") {
                    return Err(Error::new(domain::Kind::AlreadyExists, Rule::NameTaken, echo));
                }
                let description = format!("number {number}, only validated: {}", ctx.validate_only);
                Ok(Reply {
                    message: Group { uid: request.parent, description, ..named(&name) },
                    etag: Some("\"1\"".to_owned()),
                    warning: None,
                    data_age: None,
                })
            }
        }),
        Endpoint::new::<UpdateGroup, _, _, _>(|ctx: Arc<Ctx>, request| async move {
            ctx.check_match(&Changeable(org()))?;
            let paths = request.update_mask.map(|mask| mask.paths.join(",")).unwrap_or_default();
            Ok(Group { description: format!("mask {paths}"), ..request.group.unwrap_or_default() })
        }),
        Endpoint::new::<DeleteGroup, _, _, _>(|_, request| async move {
            Err::<(), _>(Error::not_empty(Noun::Group, request.uid, "child repos"))
        }),
        Endpoint::new::<Exchange, _, _, _>(|ctx: Arc<Ctx>, request| async move {
            let bearer = ctx.bearer.as_ref().map(|bearer| bearer.expose().clone()).unwrap_or_default();
            let token = format!("{bearer}|{}|{}|{}", request.aud.join(","), request.identity, request.scopes.join(","));
            Ok::<_, Error>(RawToken { token, ..RawToken::default() })
        }),
        Endpoint::new::<Ping, _, _, _>(|_, _| async { Ok::<_, Error>(<Ping as Rpc>::Response::default()) }),
    ]
}

fn named(name: &str) -> Group {
    Group { name: name.to_owned(), ..Group::default() }
}

async fn get_group(world: &World, ctx: Arc<Ctx>, uid: String) -> Result<Reply<Group>, Error> {
    let running = world.running.fetch_add(1, SeqCst) + 1;
    world.most_running.fetch_max(running, SeqCst);
    let slow_for = *world.slow_for.lock().unwrap();
    if uid == group(SLOW).as_str() {
        tokio::time::sleep(slow_for).await;
    }
    world.running.fetch_sub(1, SeqCst);
    assert_ne!(uid, group(PANICS).as_str(), "the handler's secret reason");
    if uid == group(GONE).as_str() {
        return Err(Error::not_found(Noun::Group, uid));
    }
    let caller = ctx.caller()?.identity.to_string();
    let description = format!("{} {} {}", ctx.method, ctx.api_version, ctx.peer.map(|peer| peer.to_string()).unwrap_or_default());
    Ok(Reply {
        message: Group { uid, description, ..named(&caller) },
        etag: Some("\"2a\"".to_owned()),
        warning: None,
        data_age: None,
    })
}

/// Tokens by name: `owner` holds all of groups in the organization, `viewer` sees group 1, `narrow` is an owner's token
/// for seeing group 1 only, `nobody` holds nothing.
struct Tokens;

#[async_trait]
impl Authenticate for Tokens {
    async fn authenticate(&self, bearer: LentSecret<'_>, _: Timestamp) -> Result<(Arc<Caller>, Arc<Grants>), Error> {
        let grant = |at: Uidp, names: &[&str]| {
            vec![Grant { at: Place::At(at), capabilities: CapabilitySet::from_names(names.iter().copied()) }]
        };
        let all = ["groups.list", "groups.create", "groups.update", "groups.delete"];
        let mut narrowing = Narrowing::default();
        let (number, grants) = match bearer.expose() {
            "owner" => (1, grant(org(), &all)),
            "viewer" => (2, grant(group(1), &["groups.list"])),
            "narrow" => {
                narrowing.scopes = Some(vec![group(1)]);
                (1, grant(org(), &all))
            }
            "nobody" => (3, Vec::new()),
            _ => return Err(Error::unauthenticated(Rule::TokenInvalid, "the token is not one of ours")),
        };
        let caller = Caller {
            identity: Uidp::root_from([number; 20]),
            operator: false,
            issuer: "https://issuer.example".to_owned(),
            audience: vec!["https://api.example".to_owned()],
            issued_at: Timestamp(0),
            expires_at: Timestamp(1),
            token_id: "t".to_owned(),
            upstream: None,
            email: None,
            narrowing,
        };
        let grants = access::narrow(&grants.into_iter().collect(), &caller.narrowing);
        Ok((Arc::new(caller), Arc::new(grants)))
    }
}

struct Fakes(Arc<World>);

#[async_trait]
impl Replays for Fakes {
    async fn find(&self, claim: &IdempotencyClaim, _: Timestamp) -> Result<Option<Replay>, Error> {
        match self.0.kept.lock().unwrap().get(&claim.key) {
            Some((request, _)) if *request != claim.request => {
                let message = "the idempotency key was used for another request";
                Err(Error::new(domain::Kind::InvalidArgument, Rule::IdempotencyKeyReused, message))
            }
            found => Ok(found.map(|(_, replay)| replay.clone())),
        }
    }

    async fn save(&self, _: &Ctx, claim: &IdempotencyClaim, answer: Replay) -> Result<(), Error> {
        self.0.kept.lock().unwrap().insert(claim.key, (claim.request, answer));
        Ok(())
    }
}

impl Refusals for Fakes {
    fn record(&self, ctx: &Ctx, place: Option<&str>, error: &Error) {
        let entry = format!("{} {} {}", ctx.method, place.unwrap_or("-"), error.rule().as_str());
        self.0.refused.lock().unwrap().push(entry);
    }
}

#[async_trait]
impl Ready for Fakes {
    fn name(&self) -> &'static str {
        "store"
    }

    async fn check(&self) -> Result<Fitness, Error> {
        self.0.asked_ready.fetch_add(1, SeqCst);
        let well = (*self.0.degraded.lock().unwrap()).map_or(Fitness::Well, |why| Fitness::Degraded(why.to_owned()));
        let why = *self.0.not_ready.lock().unwrap();
        why.map_or(Ok(well), |why| Err(Error::new(domain::Kind::Unavailable, Rule::Unavailable, why)))
    }
}

#[derive(Debug)]
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp(1_700_000_000_000)
    }
}

#[derive(Debug, Default)]
struct Counted(AtomicUsize);

impl Entropy for Counted {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), Error> {
        let number = self.0.fetch_add(1, SeqCst).to_be_bytes();
        bytes.fill(0);
        bytes.iter_mut().rev().zip(number.iter().rev()).for_each(|(to, from)| *to = *from);
        Ok(())
    }
}

/// The group that can be changed, in the version that it has.
pub(crate) struct Changeable(pub(crate) Uidp);

impl Versioned for Changeable {
    fn version(&self) -> Version<'_> {
        Version { uid: &self.0, revision: Revision(7) }
    }
}
