//! Stand-ins for the token services of Amazon, Google and Microsoft. Each verifies a token as the cloud does: by the keys that its
//! issuer publishes, and by the subject and the audience that an account trusts. They misbehave on purpose, and remember what they
//! were sent.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use axum::{
    Json, Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, header::AUTHORIZATION},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use client::http::{Http, Request as Ask};
use serde_json::{Value, json};
use server::settings::Outbound;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::Mishap;

/// What the clouds give away, of which nothing may show anywhere.
pub const CREDENTIAL: &str = "credential-of-a-cloud";

/// The clouds, on one loopback port.
#[derive(Debug)]
pub struct Clouds {
    /// The origin of all of them.
    pub url: String,
    state: Arc<Sky>,
    task: JoinHandle<()>,
}

/// What a cloud was sent.
#[derive(Clone, Debug)]
pub struct Received {
    /// Method and path, as they were written.
    pub line: String,
    /// The fields of the form, or the members of the JSON object, without the token.
    pub fields: BTreeMap<String, String>,
    /// The token.
    pub token: String,
}

/// Whom the accounts trust: an issuer, and one subject of it.
#[derive(Clone, Debug)]
struct Trust {
    issuer: String,
    subject: String,
}

#[derive(Debug)]
struct Sky {
    trust: Mutex<Option<Trust>>,
    mishap: Mutex<Mishap>,
    received: Mutex<Vec<Received>>,
}

impl Clouds {
    /// Starts them. Nobody is trusted yet.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(Sky { trust: Mutex::default(), mishap: Mutex::new(Mishap::None), received: Mutex::default() });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&state));
        // The task ends with the clouds.
        let task = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Self { url, state, task }
    }

    /// The settings of a server that asks them.
    #[must_use]
    pub fn outbound(&self) -> Outbound {
        Outbound { timeout: Duration::from_secs(3), ..all_at(&self.url) }
    }

    /// From now on all accounts trust this subject of this issuer, and nobody else.
    pub fn trust(&self, issuer: &str, subject: &str) {
        *lock(&self.state.trust) = Some(Trust { issuer: issuer.to_owned(), subject: subject.to_owned() });
    }

    /// From now on this is wrong with them.
    pub fn suffer(&self, mishap: Mishap) {
        *lock(&self.state.mishap) = mishap;
    }

    /// What they were sent since this was asked last.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        std::mem::take(&mut *lock(&self.state.received))
    }
}

impl Drop for Clouds {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Received {
    /// What the token says.
    #[must_use]
    pub fn claims(&self) -> Value {
        part(&self.token, 1).expect("a signed token")
    }
}

/// All clouds at one origin.
pub(crate) fn all_at(origin: &str) -> Outbound {
    let origin = || origin.to_owned();
    Outbound {
        aws_sts_url: origin(),
        google_sts_url: origin(),
        google_iam_credentials_url: origin(),
        azure_login_url: origin(),
        ..Outbound::default()
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn answer(State(sky): State<Arc<Sky>>, request: Request) -> Response {
    let (line, method, path) =
        (format!("{} {}", request.method(), request.uri()), request.method().clone(), request.uri().path().to_owned());
    let headers = request.headers().clone();
    let body = axum::body::to_bytes(request.into_body(), 16 * 1024).await.expect("a short body");
    let mut fields = fields(&headers, &body);
    let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|text| text.strip_prefix("Bearer "));
    let token = ["WebIdentityToken", "subject_token", "client_assertion"].into_iter().find_map(|name| fields.remove(name));
    let token = token.or(bearer.map(str::to_owned)).unwrap_or_default();
    lock(&sky.received).push(Received { line, fields: fields.clone(), token: token.clone() });
    let mishap = *lock(&sky.mishap);
    if let Some(answer) = misbehave(mishap).await {
        return answer;
    }
    assert_eq!(method, Method::POST, "clouds are asked by POST alone");
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let trust = lock(&sky.trust).clone();
    if path == "/" && field("Action") == "AssumeRoleWithWebIdentity" {
        return match admit(trust, &token, "amazon").await {
            Ok(()) => assumed().into_response(),
            Err(why) => (StatusCode::FORBIDDEN, xml_error("AccessDenied", &why)).into_response(),
        };
    }
    if path == "/v1/token" {
        return match admit(trust, &token, "google").await {
            Ok(()) => Json(json!({"access_token": CREDENTIAL, "token_type": "Bearer", "expires_in": 3599})).into_response(),
            Err(why) => oauth_error("invalid_grant", &why),
        };
    }
    if path.starts_with("/v1/projects/-/serviceAccounts/") && path.ends_with(":generateAccessToken") {
        if token == CREDENTIAL {
            return Json(json!({"accessToken": CREDENTIAL, "expireTime": "2026-01-02T03:09:05Z"})).into_response();
        }
        let error =
            json!({"code": 401, "message": "Request had invalid authentication credentials.", "status": "UNAUTHENTICATED"});
        return (StatusCode::UNAUTHORIZED, Json(json!({ "error": error }))).into_response();
    }
    if path.ends_with("/oauth2/v2.0/token") {
        return match admit(trust, &token, "azure").await {
            Ok(()) => Json(json!({"access_token": CREDENTIAL, "token_type": "Bearer", "expires_in": 3599})).into_response(),
            Err(why) => oauth_error("invalid_client", &why),
        };
    }
    StatusCode::NOT_FOUND.into_response()
}

/// The fields of a form, or the members of a JSON object.
fn fields(headers: &HeaderMap, body: &[u8]) -> BTreeMap<String, String> {
    match headers.get("content-type").and_then(|value| value.to_str().ok()) {
        Some("application/x-www-form-urlencoded") => url::form_urlencoded::parse(body).into_owned().collect(),
        Some("application/json") => {
            let members: BTreeMap<String, Value> = serde_json::from_slice(body).expect("a JSON object");
            members.into_iter().map(|(name, value)| (name, value.to_string())).collect()
        }
        other => panic!("a body of type {other:?}"),
    }
}

async fn misbehave(mishap: Mishap) -> Option<Response> {
    Some(match mishap {
        Mishap::None => return None,
        Mishap::Silent => {
            tokio::time::sleep(Duration::from_mins(2)).await;
            return None;
        }
        Mishap::Huge => {
            let megabyte = vec![b' '; 1 << 20];
            let stream = futures::stream::iter((0..50).map(move |_| Ok::<_, std::io::Error>(megabyte.clone())));
            Body::from_stream(stream).into_response()
        }
        Mishap::Redirects => {
            (StatusCode::TEMPORARY_REDIRECT, [("location", "https://169.254.169.254/latest/meta-data")]).into_response()
        }
        Mishap::Garbage => "<html>not here</html>".into_response(),
        Mishap::Throttles => StatusCode::TOO_MANY_REQUESTS.into_response(),
        Mishap::Fails => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Mishap::Expired => (StatusCode::BAD_REQUEST, xml_error("ExpiredTokenException", "Token expired")).into_response(),
    })
}

/// Whether the token is one of the trusted subject, for this cloud, and signed by the trusted issuer.
async fn admit(trust: Option<Trust>, token: &str, audience: &str) -> Result<(), String> {
    let trust = trust.ok_or("nobody is trusted")?;
    let (header, claims) = (part(token, 0).ok_or("no token")?, part(token, 1).ok_or("no token")?);
    for (claim, expected) in [("iss", &trust.issuer), ("sub", &trust.subject), ("aud", &audience.to_owned())] {
        if claims[claim] != **expected {
            return Err(format!("{claim} is not trusted"));
        }
    }
    let lifetime = claims["exp"].as_i64().zip(claims["iat"].as_i64()).map(|(end, begin)| end - begin);
    if lifetime != Some(300) {
        return Err(format!("a lifetime of {lifetime:?}"));
    }
    let issuer = Http::new(&trust.issuer, None).map_err(|error| error.to_string())?;
    let read = async |path: &str| issuer.send(Ask::get(path)).await.expect("the issuer answers").json();
    let discovery = read("/.well-known/openid-configuration").await;
    let keys = discovery["jwks_uri"].as_str().and_then(|url| url.strip_prefix(&trust.issuer)).ok_or("keys elsewhere")?;
    let keys = read(keys).await;
    let key = keys["keys"].as_array().into_iter().flatten().find(|key| key["kid"] == header["kid"]).ok_or("an unknown key")?;
    let coordinate = |name: &str| URL_SAFE_NO_PAD.decode(key[name].as_str().unwrap_or_default()).expect("base64url");
    let point = [vec![4], coordinate("x"), coordinate("y")].concat();
    let (signed, signature) = token.rsplit_once('.').ok_or("no signature")?;
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|error| error.to_string())?;
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
    key.verify(signed.as_bytes(), &signature).map_err(|_| "the signature is wrong".to_owned())
}

/// A JSON object in a segment of a token.
fn part(token: &str, segment: usize) -> Option<Value> {
    let text = URL_SAFE_NO_PAD.decode(token.split('.').nth(segment)?).ok()?;
    serde_json::from_slice(&text).ok()
}

fn assumed() -> String {
    let credentials = format!(
        "<AccessKeyId>ASIA{CREDENTIAL}</AccessKeyId><SecretAccessKey>{CREDENTIAL}</SecretAccessKey>\
         <SessionToken>{CREDENTIAL}</SessionToken><Expiration>2026-01-02T03:19:05Z</Expiration>"
    );
    format!(
        "<AssumeRoleWithWebIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><AssumeRoleWithWebIdentityResult>\
         <Audience>amazon</Audience><Credentials>{credentials}</Credentials></AssumeRoleWithWebIdentityResult>\
         <ResponseMetadata><RequestId>0</RequestId></ResponseMetadata></AssumeRoleWithWebIdentityResponse>"
    )
}

fn xml_error(code: &str, message: &str) -> String {
    format!(
        "<ErrorResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><Error><Type>Sender</Type><Code>{code}</Code>\
         <Message>{message}</Message></Error><RequestId>0</RequestId></ErrorResponse>"
    )
}

fn oauth_error(code: &str, description: &str) -> Response {
    (StatusCode::BAD_REQUEST, Json(json!({"error": code, "error_description": description}))).into_response()
}
