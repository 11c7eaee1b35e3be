//! OIDC issuers that misbehave on purpose, and the tokens they sign.

mod https;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use aws_lc_rs::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
};
use axum::{
    Json, Router,
    body::Body,
    extract::State,
    http::header,
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinHandle};

use self::https::Https;

/// What is wrong with an issuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// Its documents never come.
    Silent,
    /// Its discovery document names another issuer.
    Lies,
    /// Its discovery document is somewhere else.
    Redirects,
    /// Its key set is 50 MB long.
    Huge,
    /// Its discovery document points to keys in a private network.
    PrivateKeys,
    /// Its documents are not JSON.
    Garbage,
}

/// An issuer on a loopback port.
#[derive(Debug)]
pub struct Issuer {
    /// Its URL, which is also its tokens' `iss`.
    pub url: String,
    key: EcdsaKeyPair,
    documents: Arc<Documents>,
    task: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Documents {
    url: String,
    fault: Fault,
    jwk: Value,
    is_silent: AtomicBool,
}

impl Issuer {
    /// Starts an issuer with this fault.
    pub async fn start(fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        Self::serve(listener, url, fault)
    }

    /// Starts an issuer without a fault at `https://localhost:PORT`. Answers it and its certificate, in PEM.
    pub async fn start_https() -> (Self, String) {
        let (https, certificate) = Https::start().await;
        let port = https.listener.local_addr().expect("an address").port();
        (Self::serve(https, format!("https://localhost:{port}"), Fault::None), certificate)
    }

    fn serve<L: axum::serve::Listener<Addr = std::net::SocketAddr>>(listener: L, url: String, fault: Fault) -> Self {
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).expect("a key");
        let is_silent = AtomicBool::new(fault == Fault::Silent);
        let documents = Arc::new(Documents { url: url.clone(), fault, jwk: jwk(&key), is_silent });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/keys", get(keys))
            .route("/elsewhere", get(|| async { "moved here" }))
            .with_state(Arc::clone(&documents));
        // The task ends with the issuer.
        let task = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Self { url, key, documents, task: Some(task) }
    }

    /// Takes requests and answers none from then on.
    pub fn fall_silent(&self) {
        self.documents.is_silent.store(true, Ordering::Relaxed);
    }

    /// Takes the issuer off the network; its port answers nothing from then on.
    pub fn stop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }

    /// The public key set.
    #[must_use]
    pub fn keys(&self) -> Value {
        json!({ "keys": [jwk(&self.key)] })
    }

    /// A token with these claims, signed with ES256 under the key's id.
    #[must_use]
    pub fn sign(&self, claims: &Value) -> String {
        self.sign_as(&json!({"alg": "ES256", "kid": "k1", "typ": "JWT"}), claims)
    }

    /// A token with this header, signed with ES256 whatever the header says.
    #[must_use]
    pub fn sign_as(&self, header: &Value, claims: &Value) -> String {
        let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let input = format!("{}.{}", encode(header), encode(claims));
        let signature = self.key.sign(&SystemRandom::new(), input.as_bytes()).expect("a signature");
        format!("{input}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Documents {
    /// Says nothing for longer than anybody waits, if the issuer is silent.
    async fn speak(&self) {
        if self.is_silent.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_mins(2)).await;
        }
    }
}

fn jwk(key: &EcdsaKeyPair) -> Value {
    let point = key.public_key().as_ref();
    let (x, y) = point[1..].split_at(32);
    json!({
        "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "k1",
        "x": URL_SAFE_NO_PAD.encode(x), "y": URL_SAFE_NO_PAD.encode(y),
    })
}

async fn discovery(State(documents): State<Arc<Documents>>) -> Response {
    documents.speak().await;
    let document = |issuer: &str, keys: &str| Json(json!({ "issuer": issuer, "jwks_uri": keys })).into_response();
    let (url, keys) = (&documents.url, format!("{}/keys", documents.url));
    match documents.fault {
        Fault::None | Fault::Silent | Fault::Huge => document(url, &keys),
        Fault::Lies => document("https://issuer.example.com", &keys),
        Fault::Redirects => Redirect::temporary(&format!("{url}/elsewhere")).into_response(),
        Fault::PrivateKeys => document(url, "https://10.0.0.1/keys"),
        Fault::Garbage => "<html>not here</html>".into_response(),
    }
}

async fn keys(State(documents): State<Arc<Documents>>) -> Response {
    documents.speak().await;
    if documents.fault == Fault::Huge {
        let megabyte = vec![b' '; 1 << 20];
        let stream = futures::stream::iter((0..50).map(move |_| Ok::<_, std::io::Error>(megabyte.clone())));
        return ([(header::CONTENT_TYPE, "application/json")], Body::from_stream(stream)).into_response();
    }
    Json(json!({ "keys": [documents.jwk] })).into_response()
}
