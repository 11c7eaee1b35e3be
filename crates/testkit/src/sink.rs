//! A place that events are sent to.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU16, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{Router, body::Bytes, extract::State, http::HeaderMap};
use http::StatusCode;
use tokio::{net::TcpListener, task::JoinHandle};

/// A request that has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// Its headers, names in lower case.
    pub headers: HashMap<String, String>,
    /// Its body.
    pub body: String,
    /// The status that it was answered with.
    pub status: u16,
}

/// A web server on a loopback port that keeps what it gets. It ends when dropped.
#[derive(Debug)]
pub struct Sink {
    address: SocketAddr,
    state: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    /// What is answered; 0 for never.
    status: AtomicU16,
    requests: Mutex<Vec<Delivered>>,
}

impl Delivered {
    /// The header, which is there.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("there is no {name}: {self:?}"))
    }

    /// The event's id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.header("ce-id")
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}

impl Sink {
    /// Starts one that takes everything.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(Shared { status: AtomicU16::new(200), requests: Mutex::default() });
        let router = Router::new().fallback(take).with_state(Arc::clone(&state));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
        Self { address, state, task }
    }

    /// Its URL.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/events", self.address)
    }

    /// Answers with this status from now on; 0 is no answer at all.
    pub fn answer(&self, status: u16) {
        self.state.status.store(status, Ordering::SeqCst);
    }

    /// All requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Delivered> {
        self.state.requests.lock().expect("nobody panics").clone()
    }

    /// How many requests have come.
    #[must_use]
    pub fn count(&self) -> usize {
        self.state.requests.lock().expect("nobody panics").len()
    }

    /// What it has taken, once these are at least `count`.
    pub async fn taken(&self, count: usize) -> Vec<Delivered> {
        self.taken_within(count, Duration::from_mins(1)).await
    }

    /// The same, with more patience.
    pub async fn taken_within(&self, count: usize, patience: Duration) -> Vec<Delivered> {
        let begin = Instant::now();
        loop {
            let mut taken = self.requests();
            taken.retain(|request| (200..300).contains(&request.status));
            if taken.len() >= count {
                return taken;
            }
            assert!(begin.elapsed() < patience, "{} of {count} events have come: {taken:#?}", taken.len());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn take(State(state): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let status = state.status.load(Ordering::SeqCst);
    let text = |value: &http::HeaderValue| value.to_str().unwrap_or("not ASCII").to_owned();
    let headers = headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    let body = String::from_utf8(body.to_vec()).expect("UTF-8");
    state.requests.lock().expect("nobody panics").push(Delivered { headers, body, status });
    if status == 0 {
        std::future::pending::<()>().await;
    }
    StatusCode::from_u16(status).expect("a status")
}
