//! The guarded request: no redirects, no proxies, judged addresses, bounded time and size. Nothing else in the server asks others.

use std::{
    error::Error as StdError,
    fmt,
    net::IpAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};

use reqwest::{Client, Method, Request, StatusCode, header, redirect};
use tokio::sync::Semaphore;
use tracing::{Instrument as _, Span, field::Empty};
use url::{Host, Url};

use super::address::{AddressPolicy, Guard, Refused, Resolver, Rules};
use crate::{
    Settings,
    claims::{UrlPolicy, is_loopback},
};

/// Asks issuers, and others that this server believes.
pub(crate) struct GuardedClient {
    client: OnceLock<Result<Client, String>>,
    guard: Guard,
    urls: UrlPolicy,
    connect_timeout: Duration,
    timeout: Duration,
    size: usize,
    slots: Semaphore,
}

/// Why an issuer gave no document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchError {
    /// It did not answer, in time or at all; a retry may help.
    Down(String),
    /// The same, with what the network or TLS said. That is for operators: callers need not learn how the network behind us looks.
    Unreachable {
        /// What callers are told.
        told: String,
        /// The last cause, such as `invalid peer certificate: UnknownIssuer`.
        cause: String,
    },
    /// It answered with something that no retry makes better, or may not be asked.
    Refused(String),
    /// What has only addresses that may not be connected to, and these. Whoever may not know of them is told what [`FetchError::Down`]
    /// tells of a name that has none, or leads to nobody.
    Address {
        /// What was asked for.
        what: &'static str,
        /// With commas between.
        addresses: String,
    },
}

/// What was answered: neither a redirect nor that the other side is down.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Vec<u8>,
}

const UNREACHABLE: &str = "cannot be connected to";

impl FetchError {
    /// The same for who may not learn which addresses this server does not connect to, nor what names stand for where it is.
    pub(crate) fn outside(&self) -> Self {
        match self {
            Self::Address { what, .. } => Self::Down(format!("{what} {UNREACHABLE}")),
            other => other.clone(),
        }
    }
}

impl GuardedClient {
    pub(crate) fn new(settings: &Settings, resolver: Arc<dyn Resolver>) -> Self {
        let policy =
            AddressPolicy { allow_private: settings.allow_private_addresses, allow_loopback: settings.allow_loopback_http };
        let rules = Arc::new(Rules { policy, allow: settings.allow.clone(), deny: settings.deny.clone() });
        Self {
            client: OnceLock::new(),
            guard: Guard { resolver, rules },
            urls: settings.url_policy(),
            connect_timeout: settings.limits.connect_timeout,
            timeout: settings.limits.fetch_timeout,
            size: settings.limits.fetch_size,
            slots: Semaphore::new(settings.limits.fetches),
        }
    }

    /// The URL, if it may be asked at all.
    pub(crate) fn admit(&self, what: &'static str, url: &str) -> Result<Url, FetchError> {
        let url = self.urls.fetchable(url).map_err(|why| FetchError::Refused(format!("{what} {why}")))?;
        // Addresses in a URL are never resolved, so the guard would not see them.
        let address = match url.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            Some(Host::Domain(_)) | None => None,
        };
        match address {
            Some(address) if !self.guard.rules.allow(&address.to_string(), address, is_loopback(&url)) => {
                Err(FetchError::Address { what, addresses: address.to_string() })
            }
            _ => Ok(url),
        }
    }

    /// The JSON document at `url`, which [`GuardedClient::admit`] let through.
    pub(super) async fn get(&self, what: &'static str, url: Url) -> Result<Vec<u8>, FetchError> {
        let mut request = Request::new(Method::GET, url);
        request.headers_mut().insert(header::ACCEPT, header::HeaderValue::from_static("application/json"));
        let answer = self.send(what, request, self.size).await?;
        if answer.status == StatusCode::OK {
            Ok(answer.body)
        } else {
            Err(FetchError::Refused(format!("{what} answered {}", answer.status)))
        }
    }

    /// What is answered to a request to a URL that [`GuardedClient::admit`] let through, if it has at most `size` bytes.
    ///
    /// # Errors
    /// When the other side does not answer in time, says that it cannot, redirects, or answers more.
    pub(crate) async fn send(&self, what: &'static str, request: Request, size: usize) -> Result<Answer, FetchError> {
        let client = self.client.get_or_init(|| self.build()).as_ref().map_err(|why| FetchError::Down(why.clone()))?;
        let (host, method) = (request.url().host_str().unwrap_or_default().to_owned(), request.method().clone());
        let read = async {
            let _slot = self.slots.acquire().await.map_err(|_| FetchError::Down("the server is stopping".to_owned()))?;
            read(client, what, request, size).await
        };
        // The limit counts waiting for a slot as well: a caller does not wait longer because others do.
        let late = |_| FetchError::Down(format!("{what} did not answer in time"));
        // OpenTelemetry's conventions for clients of HTTP.
        let span = tracing::trace_span!(
            target: "otel",
            "fetch",
            otel.name = method.as_str(),
            otel.kind = "client",
            http.request.method = method.as_str(),
            server.address = host,
            http.response.status_code = Empty,
        );
        tokio::time::timeout(self.timeout, read).instrument(span).await.unwrap_or_else(|elapsed| Err(late(elapsed)))
    }

    /// Whether the other side takes a request to a URL that [`GuardedClient::admit`] let through: its status. Of the rest of the answer
    /// at most `size` bytes are read, and nothing is kept.
    ///
    /// # Errors
    /// When it does not answer in time, says that it cannot, or redirects.
    pub(crate) async fn tell(&self, what: &'static str, request: Request, size: usize) -> Result<StatusCode, FetchError> {
        let client = self.client.get_or_init(|| self.build()).as_ref().map_err(|why| FetchError::Down(why.clone()))?;
        let told = async {
            let mut answer = client.execute(request).await.map_err(|error| explain(what, &error))?;
            let (status, mut read) = (answer.status(), 0);
            // A connection whose answer was read to its end serves the next request as well.
            while read <= size
                && let Ok(Some(chunk)) = answer.chunk().await
            {
                read += chunk.len();
            }
            judge(what, status)
        };
        let late = |_| FetchError::Down(format!("{what} did not answer in time"));
        tokio::time::timeout(self.timeout, told).await.unwrap_or_else(|elapsed| Err(late(elapsed)))
    }

    /// Built at the first use: loading the system's root certificates takes longer than all of a start.
    fn build(&self) -> Result<Client, String> {
        Client::builder()
            .redirect(redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .dns_resolver(self.guard.clone())
            .connect_timeout(self.connect_timeout)
            .read_timeout(self.timeout)
            .timeout(self.timeout)
            .pool_max_idle_per_host(1)
            .user_agent(concat!("provost/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| {
                let causes: Vec<_> = chain(&error).map(ToString::to_string).collect();
                let hint = "install the system's root certificates or set SSL_CERT_FILE";
                format!("needs an HTTPS client, and none can be made: {}; {hint}", causes.join(": "))
            })
    }
}

async fn read(client: &Client, what: &'static str, request: Request, size: usize) -> Result<Answer, FetchError> {
    let mut answer = client.execute(request).await.map_err(|error| explain(what, &error))?;
    let status = answer.status();
    Span::current().record("http.response.status_code", status.as_u16());
    judge(what, status)?;
    let too_large = || FetchError::Refused(format!("{what} is larger than {size} bytes"));
    if answer.content_length().is_some_and(|length| length > size as u64) {
        return Err(too_large());
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| explain(what, &error))? {
        if body.len() + chunk.len() > size {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer { status, body })
}

/// The status, unless it redirects or says that the other side is down.
fn judge(what: &'static str, status: StatusCode) -> Result<StatusCode, FetchError> {
    if status.is_redirection() {
        return Err(FetchError::Refused(format!("{what} redirects ({status}), which is not followed")));
    }
    if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
        return Err(FetchError::Down(format!("{what} answered {status}")));
    }
    Ok(status)
}

/// What went wrong, for callers without addresses.
fn explain(what: &'static str, error: &reqwest::Error) -> FetchError {
    if let Some(refused) = chain(error).find_map(|error| error.downcast_ref::<Refused>()) {
        return FetchError::Address { what, addresses: refused.addresses() };
    }
    let why = if error.is_timeout() {
        "did not answer in time"
    } else if error.is_connect() {
        UNREACHABLE
    } else {
        "broke off its answer"
    };
    let cause = chain(error).last().map(ToString::to_string).unwrap_or_default();
    tracing::debug!(target: "issuers", what, why, cause, "cannot read from an issuer");
    FetchError::Unreachable { told: format!("{what} {why}"), cause }
}

impl FetchError {
    /// What operators may know beside it: what the network or TLS said, where that is all that is known, or the addresses that may not
    /// be connected to.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        match self {
            Self::Unreachable { cause, .. } => Some(cause),
            Self::Address { addresses, .. } => Some(addresses),
            Self::Down(_) | Self::Refused(_) => None,
        }
    }
}

fn chain<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Down(told) | Self::Unreachable { told, .. } | Self::Refused(told) => f.write_str(told),
            Self::Address { what, .. } => write!(
                f,
                "{what}: its address is private or denied; see outbound.allow-private-addresses, outbound.allow and outbound.deny"
            ),
        }
    }
}

impl StdError for FetchError {}

impl fmt::Debug for GuardedClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedClient").field("guard", &self.guard).field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
