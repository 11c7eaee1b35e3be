//! A stand-in for AWS's token service that checks signatures as AWS does, misbehaves on purpose, and remembers what it was sent; and
//! the requests that its principals sign.

mod signature;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{Method, StatusCode},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::URL_SAFE};
use domain::Timestamp;
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinHandle};

use self::signature::{Signed, signature};

/// Whom the stand-in stands in for: requests are signed for this host.
const HOST: &str = "sts.amazonaws.com";
const TARGET: &str = "/?Action=GetCallerIdentity&Version=2011-06-15";
const QUERY: &str = "Action=GetCallerIdentity&Version=2011-06-15";
const REGION: &str = "us-east-1";

/// A principal at AWS, with credentials.
#[derive(Clone, Debug)]
pub struct AwsPrincipal {
    /// The id of its access key.
    pub key_id: String,
    /// The access key's secret.
    pub secret: String,
    /// The token of temporary credentials.
    pub session_token: Option<String>,
    /// Its account.
    pub account: String,
    /// Its ARN.
    pub arn: String,
    /// Its unique identifier.
    pub user_id: String,
}

/// What is wrong with AWS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// Nothing.
    None,
    /// It never answers.
    Silent,
    /// Its answer does not end.
    Huge,
    /// It sends its clients elsewhere.
    Redirects,
    /// It answers something else.
    Garbage,
    /// It has too much to do, and says so as AWS does.
    Throttles,
    /// It is broken.
    Fails,
    /// It says that the credentials have expired.
    Expired,
}

/// What a request to AWS says before it is signed. Tests change what they like.
#[derive(Clone, Debug)]
pub struct Signing {
    /// Headers that are signed, by their names as they are written, in any order.
    pub headers: Vec<(String, String)>,
    /// Headers that are not.
    pub unsigned: Vec<(String, String)>,
    /// The request line.
    pub line: String,
    /// When it is signed.
    pub at: Timestamp,
}

/// The stand-in, on a loopback port.
#[derive(Debug)]
pub struct AwsSts {
    /// Its URL.
    pub url: String,
    state: Arc<Sts>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Sts {
    principals: Mutex<Vec<AwsPrincipal>>,
    mishap: Mutex<Mishap>,
    received: Mutex<Vec<BTreeMap<String, String>>>,
}

impl AwsPrincipal {
    /// A role that a workload has assumed, as EC2 and EKS let it.
    #[must_use]
    pub fn role(account: &str, role: &str, session: &str) -> Self {
        Self {
            key_id: format!("ASIA{}", role.to_uppercase()),
            secret: format!("secret-of-{role}"),
            session_token: Some(format!("token/of+{role}==")),
            account: account.to_owned(),
            arn: format!("arn:aws:sts::{account}:assumed-role/{role}/{session}"),
            user_id: format!("AROA{}:{session}", role.to_uppercase()),
        }
    }

    /// The bearer token that the principal makes of a request.
    #[must_use]
    pub fn sign(&self, signing: &Signing) -> String {
        let mut headers = signing.headers.clone();
        let date = signature::date(signing.at);
        headers.push(("X-Amz-Date".to_owned(), date.clone()));
        headers.extend(self.session_token.iter().map(|token| ("X-Amz-Security-Token".to_owned(), token.clone())));
        let canonical: BTreeMap<_, _> = headers.iter().map(|(name, value)| (name.to_lowercase(), value.clone())).collect();
        let names: Vec<_> = canonical.keys().map(String::as_str).collect();
        let signed = Signed { method: "POST", query: query(&signing.line), headers: &canonical, names: &names, region: REGION };
        let (scope, proof) = signature(&self.secret, &date, &signed);
        let authorization =
            format!("AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={}, Signature={proof}", self.key_id, names.join(";"));
        headers.push(("Authorization".to_owned(), authorization));
        let lines = headers.iter().chain(&signing.unsigned).map(|(name, value)| format!("{name}: {value}\r\n"));
        URL_SAFE.encode(format!("{}\r\n{}\r\n", signing.line, lines.collect::<String>()))
    }
}

impl Signing {
    /// What the published libraries sign: a request for `identity` at the server whose issuer is `audience`.
    #[must_use]
    pub fn new(audience: &str, identity: &str, at: Timestamp) -> Self {
        let headers = [
            ("Host", HOST),
            ("Accept", "application/json"),
            ("Chainguard-Audience", audience),
            ("Chainguard-Identity", identity),
        ];
        let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Self {
            headers: headers.map(own).into(),
            unsigned: [("User-Agent", "Go-http-client/1.1"), ("Content-Length", "0")].map(own).into(),
            line: format!("POST {TARGET} HTTP/1.1"),
            at,
        }
    }

    /// The same with another value of this signed header; without it if there is no value.
    #[must_use]
    pub fn with(mut self, name: &str, value: Option<&str>) -> Self {
        self.headers.retain(|(other, _)| other != name);
        self.headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        self
    }
}

impl AwsSts {
    /// Starts a service that knows these principals.
    pub async fn start(principals: Vec<AwsPrincipal>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let state =
            Arc::new(Sts { principals: Mutex::new(principals), mishap: Mutex::new(Mishap::None), received: Mutex::default() });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&state));
        // The task ends with the service.
        let task = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Self { url, state, task }
    }

    /// From now on this is wrong with it.
    pub fn suffer(&self, mishap: Mishap) {
        *self.state.mishap.lock().unwrap_or_else(PoisonError::into_inner) = mishap;
    }

    /// The headers of all requests so far, by their names in lower case.
    #[must_use]
    pub fn received(&self) -> Vec<BTreeMap<String, String>> {
        self.state.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for AwsSts {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The query of a request line.
fn query(line: &str) -> &str {
    line.split(' ').nth(1).and_then(|target| target.split_once('?')).map_or("", |(_, query)| query)
}

async fn answer(State(state): State<Arc<Sts>>, request: Request) -> Response {
    let headers = request.headers().iter();
    let headers: BTreeMap<_, _> =
        headers.map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())).collect();
    state.received.lock().unwrap_or_else(PoisonError::into_inner).push(headers.clone());
    let mishap = *state.mishap.lock().unwrap_or_else(PoisonError::into_inner);
    let (method, target) = (request.method().clone(), request.uri().to_string());
    let body = axum::body::to_bytes(request.into_body(), 1024).await.unwrap_or_else(|_| Bytes::from_static(b"too much"));
    match mishap {
        Mishap::None => {}
        Mishap::Silent => tokio::time::sleep(Duration::from_mins(2)).await,
        Mishap::Huge => {
            let megabyte = vec![b' '; 1 << 20];
            let stream = futures::stream::iter((0..50).map(move |_| Ok::<_, std::io::Error>(megabyte.clone())));
            return Body::from_stream(stream).into_response();
        }
        Mishap::Redirects => return (StatusCode::TEMPORARY_REDIRECT, [("location", "https://169.254.169.254/")]).into_response(),
        Mishap::Garbage => return "<html>not here</html>".into_response(),
        Mishap::Throttles => return refused(StatusCode::BAD_REQUEST, "Throttling"),
        Mishap::Fails => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Mishap::Expired => return refused(StatusCode::FORBIDDEN, "ExpiredToken"),
    }
    let is_it =
        method == Method::POST && target == TARGET && body.is_empty() && headers.get("content-length").is_some_and(|l| l == "0");
    if !is_it {
        return refused(StatusCode::BAD_REQUEST, "InvalidAction");
    }
    let principals = state.principals.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match signer(&principals, &headers) {
        Ok(principal) => Json(identity(principal)).into_response(),
        Err(code) => refused(StatusCode::FORBIDDEN, code),
    }
}

/// Who has signed the request, as AWS finds out; otherwise the code of its error.
fn signer<'a>(principals: &'a [AwsPrincipal], headers: &BTreeMap<String, String>) -> Result<&'a AwsPrincipal, &'static str> {
    let authorization = headers.get("authorization").ok_or("MissingAuthenticationToken")?;
    let parts: BTreeMap<_, _> = authorization
        .strip_prefix("AWS4-HMAC-SHA256 ")
        .ok_or("IncompleteSignature")?
        .split(',')
        .filter_map(|part| part.trim().split_once('='))
        .collect();
    let (key_id, scope) = parts.get("Credential").and_then(|text| text.split_once('/')).ok_or("IncompleteSignature")?;
    let names: Vec<_> = parts.get("SignedHeaders").ok_or("IncompleteSignature")?.split(';').collect();
    let date = headers.get("x-amz-date").ok_or("IncompleteSignature")?;
    let principal = principals.iter().find(|principal| principal.key_id == key_id).ok_or("InvalidClientTokenId")?;
    if principal.session_token.as_ref() != headers.get("x-amz-security-token") {
        return Err("InvalidClientTokenId");
    }
    let signed = Signed { method: "POST", query: QUERY, headers, names: &names, region: REGION };
    let (own_scope, proof) = signature(&principal.secret, date, &signed);
    let is_signed = scope == own_scope && parts.get("Signature") == Some(&proof.as_str());
    if is_signed { Ok(principal) } else { Err("SignatureDoesNotMatch") }
}

fn identity(principal: &AwsPrincipal) -> Value {
    json!({"GetCallerIdentityResponse": {
        "GetCallerIdentityResult": {"Account": principal.account, "Arn": principal.arn, "UserId": principal.user_id},
        "ResponseMetadata": {"RequestId": "01234567-89ab-cdef-0123-456789abcdef"},
    }})
}

fn refused(status: StatusCode, code: &str) -> Response {
    let error = json!({"Code": code, "Message": "what AWS says is for nobody else", "Type": "Sender"});
    (status, Json(json!({"Error": error, "RequestId": "01234567-89ab-cdef-0123-456789abcdef"}))).into_response()
}
