//! The neighbour: reads, writes and exchanges without pause, and notes how long each request took and whether its answer was
//! right. It has a thread of its own, so that what the attackers do here does not delay it.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use bytes::Bytes;
use contract::Verb;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::{
    cast::{Cast, LISTED, PAGE},
    derive::json::Rest,
    doors::{self, NEIGHBOUR},
};

/// Between two requests of a kind.
const PACE: Duration = Duration::from_millis(50);

/// What the neighbour does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Get,
    GetGrpc,
    List,
    Write,
    Exchange,
    /// The first exchange of an identity whose rule has a pattern.
    First,
    Live,
    Ready,
}

impl Kind {
    pub(crate) const ALL: [Self; 8] =
        [Self::Get, Self::GetGrpc, Self::List, Self::Write, Self::Exchange, Self::First, Self::Live, Self::Ready];

    /// Whether it waits for the writer.
    pub(crate) fn writes(self) -> bool {
        matches!(self, Self::Write | Self::First)
    }
}

/// A request of the neighbour.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) kind: Kind,
    pub(crate) node: usize,
    pub(crate) begin: Instant,
    pub(crate) end: Instant,
    pub(crate) wrong: Option<String>,
}

/// The neighbour at work.
#[derive(Debug)]
pub(crate) struct Neighbour {
    samples: Arc<Mutex<Vec<Sample>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Neighbour {
    /// Begins to work at these nodes.
    pub(crate) fn start(cast: &Cast, nodes: Vec<SocketAddr>) -> Self {
        let (samples, stop) = (Arc::<Mutex<Vec<Sample>>>::default(), Arc::<AtomicBool>::default());
        let (noted, stopped, cast) = (Arc::clone(&samples), Arc::clone(&stop), cast.clone());
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            let works = nodes.iter().enumerate().flat_map(|(node, address)| Kind::ALL.map(|kind| (node, *address, kind)));
            let works = works.map(|(node, address, kind)| {
                let fresh = matches!(kind, Kind::Live | Kind::Ready);
                let client = doors::http1(NEIGHBOUR, fresh);
                let made = AtomicU64::new(0);
                Work { node, address, kind, client, cast: cast.clone(), samples: Arc::clone(&noted), made }
            });
            let works: Vec<_> = works.collect();
            runtime.block_on(join_all(works.iter().map(|work| work.go_on(&stopped))));
        };
        Self { samples, stop, thread: Some(thread::spawn(work)) }
    }

    /// What it has noted since the last time.
    pub(crate) fn take(&self) -> Vec<Sample> {
        std::mem::take(&mut *self.samples.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// One kind of request at one node, again and again.
struct Work {
    node: usize,
    address: SocketAddr,
    kind: Kind,
    client: reqwest::Client,
    cast: Cast,
    samples: Arc<Mutex<Vec<Sample>>>,
    made: AtomicU64,
}

impl Work {
    async fn go_on(&self, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            self.turn().await;
            tokio::time::sleep(PACE).await;
        }
    }

    async fn turn(&self) {
        let group = format!("/iam/v2beta1/groups/{}", self.cast.folder);
        match self.kind {
            Kind::Get => drop(self.api(Verb::Get, &group, None, |body| body["name"] == "listed").await),
            Kind::GetGrpc => self.get_by_grpc().await,
            Kind::List => {
                let path = format!("/iam/v2beta1/groups?uidp.childrenOf={}&pageSize={PAGE}", self.cast.folder);
                let right = |body: &Value| {
                    let page = body["groups"].as_array().map(Vec::len);
                    body["totalCount"].as_str().and_then(|count| count.parse().ok()) == Some(LISTED) && page == Some(PAGE)
                };
                self.api(Verb::Get, &path, None, right).await;
            }
            Kind::Write => self.write().await,
            Kind::Exchange => drop(self.exchange(&self.cast.neighbour.identity).await),
            Kind::First => self.first_exchange().await,
            Kind::Live => self.health("/livez").await,
            Kind::Ready => self.health("/readyz").await,
        }
    }

    /// Makes a group, finds it as it was made, and deletes it.
    async fn write(&self) {
        let name = self.unique("own");
        let path = format!("/iam/v2beta1/groups/{}", self.cast.neighbour.organization);
        let made = self.api(Verb::Post, &path, Some(json!({ "name": name })), |body| body["name"] == name.as_str()).await;
        if let Some(uid) = made.as_ref().and_then(|made| made["uid"].as_str()) {
            let path = format!("/iam/v2beta1/groups/{uid}");
            self.api(Verb::Get, &path, None, |body| body["name"] == name.as_str()).await;
            self.api(Verb::Delete, &path, None, Value::is_object).await;
        }
    }

    /// Makes an identity whose rule has a pattern of its own, becomes it, and deletes it.
    async fn first_exchange(&self) {
        let name = self.unique("first");
        let rule = json!({
            "issuer": format!("{}/dev/idp", self.cast.url),
            "subjectPattern": format!("neighbour|{name}[a-z]*"),
        });
        let path = format!("/iam/v2beta1/identities/{}", self.cast.neighbour.organization);
        let identity = json!({ "name": name, "claimMatch": rule });
        let made = self.api(Verb::Post, &path, Some(identity), |body| body["name"] == name.as_str()).await;
        if let Some(uid) = made.as_ref().and_then(|made| made["uid"].as_str()) {
            self.exchange(uid).await;
            self.api(Verb::Delete, &format!("/iam/v2beta1/identities/{uid}"), None, Value::is_object).await;
        }
    }

    async fn exchange(&self, identity: &str) -> Option<Value> {
        let path = format!("/sts/exchange?identity={identity}");
        let right = |body: &Value| body["token"].as_str().is_some_and(|token| token.matches('.').count() == 2);
        self.request(Verb::Post, &path, Some(json!({})), &self.cast.neighbour.upstream, right).await
    }

    async fn api(&self, verb: Verb, path: &str, body: Option<Value>, right: impl Fn(&Value) -> bool) -> Option<Value> {
        self.request(verb, path, body, &self.cast.neighbour.token, right).await
    }

    /// Makes a request and notes it. The body, if it is right.
    async fn request(
        &self,
        verb: Verb,
        path: &str,
        body: Option<Value>,
        token: &str,
        right: impl Fn(&Value) -> bool,
    ) -> Option<Value> {
        let begin = Instant::now();
        let rest = Rest { verb, path: path.to_owned(), body: body.map(|body| body.to_string().into_bytes()) };
        let answer = doors::json(&self.client, self.address, rest, Some(token), false, &[]).await;
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let is_right = answer.code == "Ok" && right(&body);
        let told = || {
            let said = String::from_utf8_lossy(&answer.body).chars().take(300).collect::<String>();
            format!("{verb:?} {path}: {} {} {said}", answer.code, answer.wrong.clone().unwrap_or_default())
        };
        self.note(begin, (!is_right).then(told));
        is_right.then_some(body)
    }

    async fn get_by_grpc(&self) {
        let begin = Instant::now();
        let path = "/chainguard.platform.iam.v2beta1.GroupsService/GetGroup";
        let head = doors::grpc_head(path, Some(&self.cast.neighbour.token), false, &[]);
        // Field 1, a text: the identifier, which is shorter than 128 bytes.
        let uid = self.cast.folder.as_bytes();
        let message = [&[10, u8::try_from(uid.len()).expect("it is short")], uid].concat();
        let answer = doors::grpc(NEIGHBOUR, self.address, head, doors::frame(&message, false)).await;
        let is_right = answer.code == "Ok" && answer.body.windows(6).any(|part| part == b"listed");
        self.note(begin, (!is_right).then(|| format!("GetGroup over gRPC: {} {:?}", answer.code, answer.wrong)));
    }

    /// On a connection of its own, as a load balancer asks.
    async fn health(&self, path: &str) {
        let begin = Instant::now();
        let answer = self.client.get(format!("http://{}{path}", self.address)).send().await;
        let (status, body) = match answer {
            Ok(answer) => (answer.status().as_u16(), answer.bytes().await.unwrap_or_default()),
            Err(why) => (0, Bytes::from(why.to_string())),
        };
        self.note(begin, (status != 200).then(|| format!("{path}: {status} {}", String::from_utf8_lossy(&body))));
    }

    fn note(&self, begin: Instant, wrong: Option<String>) {
        let sample = Sample { kind: self.kind, node: self.node, begin, end: Instant::now(), wrong };
        self.samples.lock().unwrap_or_else(PoisonError::into_inner).push(sample);
    }

    fn unique(&self, prefix: &str) -> String {
        format!("{prefix}-{}-{}", self.node, self.made.fetch_add(1, Ordering::Relaxed))
    }
}
