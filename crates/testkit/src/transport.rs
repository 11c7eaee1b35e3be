//! The two ways into the server, made to look the same: a typed request in, code and JSON body out.

use client::{Client, Options, Token, http::Http};
use contract::{Body, Message, Rpc, Verb};
use http::Method;
use prost_reflect::{DynamicMessage, ReflectMessage};
use serde_json::{Map, Value};

/// How a call travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// JSON over HTTP/1.1, by the method's first HTTP binding.
    Json,
    /// gRPC over HTTP/2.
    Grpc,
}

/// What came back: the canonical code and the whole body, the error's details included.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The canonical code's name, `OK` on success.
    pub code: String,
    /// The response message or the `google.rpc.Status`, as JSON.
    pub body: Value,
    /// The entity tag.
    pub etag: Option<String>,
    /// What the server said beside it that is no error.
    pub warning: Option<String>,
}

impl Outcome {
    /// The response message.
    ///
    /// Panics with the whole answer when the call failed or the message does not parse.
    #[expect(clippy::must_use_candidate, reason = "the check alone is often what a test wants")]
    pub fn ok<T: Message + Default>(&self) -> T {
        assert_eq!(self.code, "OK", "{:#}", self.body);
        message(self.body.clone())
    }
}

/// Both connections to one server with one token.
#[derive(Clone, Debug)]
pub struct Doors {
    grpc: Client,
    http: Http,
}

impl Doors {
    /// Connects to the server at `base`.
    pub async fn open(base: &str, token: Option<Token>) -> Self {
        Self {
            grpc: Client::connect(base, token.clone()).await.expect("the test server answers gRPC"),
            http: Http::new(base, token).expect("HTTP can be set up"),
        }
    }

    /// The same connections with another token.
    #[must_use]
    pub fn with_token(&self, token: Option<Token>) -> Self {
        Self { grpc: self.grpc.with_token(token.clone()), http: self.http.with_token(token) }
    }

    /// Plain HTTP.
    #[must_use]
    pub fn http(&self) -> &Http {
        &self.http
    }

    /// The typed gRPC client.
    #[must_use]
    pub fn grpc(&self) -> &Client {
        &self.grpc
    }

    /// Makes the call `R`, by gRPC where it has no HTTP binding.
    pub async fn call<R: Rpc>(&self, transport: Transport, request: R::Request, options: &Options) -> Outcome {
        match transport {
            Transport::Grpc => self.call_grpc::<R>(request, options).await,
            Transport::Json if R::METHOD.http.is_empty() => self.call_grpc::<R>(request, options).await,
            Transport::Json => self.call_json::<R>(&request, options).await,
        }
    }

    async fn call_grpc<R: Rpc>(&self, request: R::Request, options: &Options) -> Outcome {
        match self.grpc.call_with::<R>(request, options).await {
            Ok(answer) => Outcome { code: "OK".into(), body: json(&answer.message), etag: answer.etag, warning: answer.warning },
            Err(error) => Outcome { code: error.code_name().into(), body: json(error.status()), etag: None, warning: None },
        }
    }

    async fn call_json<R: Rpc>(&self, request: &R::Request, options: &Options) -> Outcome {
        let mut sent = rest::<R>(request);
        let headers = [
            ("x-request-id", options.request_id.clone()),
            ("if-match", options.if_match.clone()),
            ("idempotency-key", options.idempotency_key.clone()),
            ("x-provost-validate-only", options.validate_only.then(|| "true".to_owned())),
        ];
        for (name, value) in headers.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            sent = sent.header(name, value);
        }
        let answer = self.http.send(sent).await.expect("the test server answers HTTP");
        let body = answer.json();
        if answer.status.is_success() {
            assert_eq!(answer.status, 200, "every success of the API is a 200");
            let header = |name: &str| answer.header(name).map(str::to_owned);
            return Outcome { code: "OK".into(), body, etag: header("etag"), warning: header("x-provost-warning") };
        }
        let code = body.get("code").and_then(Value::as_i64).unwrap_or_default();
        let (name, status) = code_of(code);
        assert_eq!(answer.status.as_u16(), status, "the HTTP status follows from the code: {}", answer.text());
        Outcome { code: name.into(), body, etag: None, warning: None }
    }
}

/// The name and the HTTP status of a canonical code (google.rpc.Code).
fn code_of(code: i64) -> (&'static str, u16) {
    match code {
        3 => ("INVALID_ARGUMENT", 400),
        4 => ("DEADLINE_EXCEEDED", 504),
        5 => ("NOT_FOUND", 404),
        6 => ("ALREADY_EXISTS", 409),
        7 => ("PERMISSION_DENIED", 403),
        8 => ("RESOURCE_EXHAUSTED", 429),
        9 => ("FAILED_PRECONDITION", 400),
        10 => ("ABORTED", 409),
        12 => ("UNIMPLEMENTED", 501),
        13 => ("INTERNAL", 500),
        14 => ("UNAVAILABLE", 503),
        16 => ("UNAUTHENTICATED", 401),
        _ => ("UNKNOWN", 500),
    }
}

/// The message that this is the JSON of.
pub(crate) fn message<T: Message + Default>(json: Value) -> T {
    let descriptor = contract::message_descriptor(T::NAME).expect("a message of the contract");
    let message = DynamicMessage::deserialize(descriptor, json).unwrap_or_else(|error| panic!("{}: {error}", T::NAME));
    message.transcode_to().expect("a message of its own type")
}

fn json<T: Message>(message: &T) -> Value {
    let mut text = String::new();
    message.write_json(&mut text);
    serde_json::from_str(&text).expect("the JSON writer writes JSON")
}

/// The request as the method's first HTTP binding wants it: path variables, body and query. Only populated fields are sent.
fn rest<R: Rpc>(request: &R::Request) -> client::http::Request {
    let rule = R::METHOD.http.first().expect("the method has an HTTP binding");
    let descriptor = contract::message_descriptor(<R::Request as Message>::NAME).expect("a message of the contract");
    let mut message = DynamicMessage::new(descriptor);
    message.transcode_from(request).expect("a message of its own type");
    let Ok(Value::Object(mut fields)) = serde_json::to_value(&message) else { panic!("a message is a JSON object") };

    let mut path = String::new();
    let mut rest = rule.template;
    while let Some((literal, variable)) = rest.split_once('{') {
        let (variable, after) = variable.split_once('}').expect("a closed variable");
        let field = variable.split('=').next().unwrap_or_default();
        path.push_str(literal);
        path.push_str(take(&mut fields, &message, field).as_ref().and_then(Value::as_str).unwrap_or_default());
        rest = after;
    }
    path.push_str(rest);
    // `{parent=**}` matching nothing leaves the slash before it, which belongs to the variable.
    let path = path.trim_end_matches('/').to_owned();

    let body = match rule.body {
        Body::None => None,
        Body::All => Some(Value::Object(std::mem::take(&mut fields))),
        Body::Field(name) => Some(take(&mut fields, &message, name).unwrap_or_else(|| Value::Object(Map::new()))),
    };
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    flatten("", &Value::Object(fields), &mut query);
    let query = query.finish();
    let path = if query.is_empty() { path } else { format!("{path}?{query}") };
    let method = Method::from_bytes(rule.verb.as_str().as_bytes()).expect("an HTTP method");
    let sent = client::http::Request::new(method, path);
    match body {
        Some(body) if rule.verb != Verb::Get => sent.json(&body),
        _ => sent,
    }
}

/// Takes the value of a dotted proto path out of the JSON form of `message`.
fn take(fields: &mut Map<String, Value>, message: &DynamicMessage, path: &str) -> Option<Value> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let name = message.descriptor().get_field_by_name(first)?.json_name().to_owned();
    match rest {
        None => fields.remove(&name),
        // One level below the request there are only resources, whose path variables have one-word names.
        Some(rest) => fields.get_mut(&name)?.as_object_mut()?.remove(rest),
    }
}

fn flatten(prefix: &str, value: &Value, query: &mut url::form_urlencoded::Serializer<'_, String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
            flatten(&key, value, query);
        }),
        Value::Array(items) => items.iter().for_each(|item| flatten(prefix, item, query)),
        Value::String(text) => {
            query.append_pair(prefix, text);
        }
        other => {
            query.append_pair(prefix, &other.to_string());
        }
    }
}
