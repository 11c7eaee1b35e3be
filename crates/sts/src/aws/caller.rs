//! Asking AWS who has signed a request.

use std::{sync::Arc, time::Duration};

use domain::{Error, Kind, Rule, error::Detail};
use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};
use reqwest::{
    Method, Request, StatusCode,
    header::{ACCEPT, CONTENT_LENGTH, HOST, HeaderName, HeaderValue},
};
use url::Url;

use super::{
    answer::{self, Principal},
    request::SignedRequest,
};
use crate::{
    Settings,
    fair::{Busy, FairQueue, Place, Shares},
    issuers::{FetchError, GuardedClient, Resolver},
    workers::Party,
};

/// Whom a stand-in on loopback stands in for.
const AWS: &str = "sts.amazonaws.com";
/// What is asked, as the request that was signed has it.
const QUERY: &str = "/?Action=GetCallerIdentity&Version=2011-06-15";
/// Largest answer that is read, in bytes. Ordinary ones have some hundred.
const MAX_ANSWER: usize = 64 * 1024;
/// What the other side is called in errors.
const WHAT: &str = "AWS STS";
/// When a retry makes sense.
const RETRY: Duration = Duration::from_secs(1);

/// AWS's token service. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct AwsSts(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    client: GuardedClient,
    url: String,
    host: String,
    is_stand_in: bool,
    /// Nobody has proved anything who makes this server ask. So one address has half of the places at most, and so has the organization
    /// whose identity is wanted, of which another address may want it, too.
    senders: FairQueue,
    organizations: FairQueue,
    waiting: Gauge,
    asked: Family<[(&'static str, &'static str); 1], Counter>,
}

/// Why AWS names nobody.
#[derive(Debug)]
enum AskError {
    /// It has too much to do.
    Throttled,
    /// It did not answer, or with something that cannot be used.
    Fetch(FetchError),
    /// There was no turn for asking it; the text says in whose name.
    Busy(&'static str, Busy),
}

impl AwsSts {
    /// AWS's token service under these settings, found by `resolver`.
    pub(crate) fn new(settings: &Settings, resolver: Arc<dyn Resolver>) -> Self {
        let limits = &settings.limits;
        let shares = Shares { places: limits.fetches.max(1), waiting: limits.work_waiting, timeout: limits.fetch_timeout };
        let waiting = Gauge::default();
        let url = Url::parse(&settings.aws_sts_url).ok();
        let is_stand_in = url.as_ref().is_some_and(|url| url.scheme() == "http");
        Self(Arc::new(Inner {
            client: GuardedClient::new(settings, resolver),
            url: format!("{}{QUERY}", settings.aws_sts_url),
            host: if is_stand_in { AWS.to_owned() } else { url.as_ref().map(authority).unwrap_or_default() },
            is_stand_in,
            senders: FairQueue::new(shares, waiting.clone()),
            organizations: FairQueue::new(shares, waiting.clone()),
            waiting,
            asked: Family::default(),
        }))
    }

    /// Adds what is counted here to `registry`.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let help = "Requests that were sent on to AWS to learn who has signed them, by outcome: ok, refused, failed, or busy when none was sent";
        registry.register("aws_requests", help, self.0.asked.clone());
        for outcome in ["ok", "refused", "failed", "busy"] {
            // Known before the first of them.
            drop(self.0.asked.get_or_create(&[("outcome", outcome)]));
        }
        let help = "Exchanges that wait for their turn to ask AWS";
        registry.register("aws_requests_waiting", help, self.0.waiting.clone());
    }

    /// The host that requests have to be signed for.
    pub(crate) fn host(&self) -> &str {
        &self.0.host
    }

    /// Who has signed the request, which is sent on in the turns of `sender` and of `organization`; `None` when AWS says that nobody
    /// has, or with credentials that are over. The signature is all that AWS judges: whether the request is for this server, and fresh,
    /// is the caller's to know.
    ///
    /// # Errors
    /// Unavailable or permission denied when it does not answer, or with something that cannot be used; resource exhausted when too many
    /// ask at once.
    pub(crate) async fn principal(
        &self,
        request: &SignedRequest,
        sender: &Party,
        organization: &Party,
    ) -> Result<Option<Principal>, Error> {
        let outcome = self.ask(request, sender, organization).await;
        let named = match &outcome {
            Ok(Some(_)) => "ok",
            Ok(None) => "refused",
            Err(AskError::Throttled | AskError::Fetch(_)) => "failed",
            Err(AskError::Busy(..)) => "busy",
        };
        self.0.asked.get_or_create(&[("outcome", named)]).inc();
        Ok(outcome?)
    }

    async fn ask(&self, request: &SignedRequest, sender: &Party, organization: &Party) -> Result<Option<Principal>, AskError> {
        let _places = self.0.places(sender, organization).await?;
        let answer = self.0.client.send(WHAT, self.0.request(request)?, MAX_ANSWER).await?;
        if answer.status != StatusCode::OK {
            return if answer::says_busy(&answer.body) { Err(AskError::Throttled) } else { Ok(None) };
        }
        let unusable = || FetchError::Refused(format!("{WHAT} answered with something else than who has signed the request"));
        Ok(Some(answer::principal(&answer.body).ok_or_else(unusable)?))
    }
}

impl Inner {
    /// A turn of the sender's, and then one of the organization's.
    async fn places(&self, sender: &Party, organization: &Party) -> Result<(Place, Place), AskError> {
        let own = self.senders.place(&sender.name()).await.map_err(|why| AskError::Busy("this address", why))?;
        let place = self.organizations.place(&organization.name()).await;
        Ok((own, place.map_err(|why| AskError::Busy("the identity's organization", why))?))
    }

    /// The request that is sent: the one that was signed, and nothing of what came with it and was not.
    fn request(&self, signed: &SignedRequest) -> Result<Request, FetchError> {
        let mut request = Request::new(Method::POST, self.client.admit(WHAT, &self.url)?);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        for (name, value) in signed.headers().filter(|(name, _)| *name != "host") {
            let unfit = || FetchError::Refused("the request has headers that cannot be sent".to_owned());
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unfit())?;
            let mut value = HeaderValue::from_str(value).map_err(|_| unfit())?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        if self.is_stand_in {
            headers.insert(HOST, HeaderValue::from_static(AWS));
        }
        Ok(request)
    }
}

/// Host and port, as a `Host` header has them.
fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

impl From<FetchError> for AskError {
    fn from(error: FetchError) -> Self {
        Self::Fetch(error)
    }
}

impl From<AskError> for Error {
    fn from(error: AskError) -> Self {
        let unasked = |why: &dyn std::fmt::Display| format!("cannot learn from AWS who has signed the request: {why}");
        match error {
            AskError::Throttled => {
                Self::new(Kind::Unavailable, Rule::IssuerUnavailable, unasked(&"AWS STS is too busy; retry later"))
            }
            AskError::Fetch(down @ (FetchError::Down(_) | FetchError::Unreachable { .. })) => {
                Self::new(Kind::Unavailable, Rule::IssuerUnavailable, unasked(&down))
            }
            AskError::Fetch(refused) => Self::denied(Rule::IssuerNotAllowed, unasked(&refused)),
            AskError::Busy(party, why) => {
                let message = format!("this server is busy asking AWS for {party}, and this request {why}; retry later");
                Self::new(Kind::ResourceExhausted, Rule::OrganizationBusy, message).with(Detail::RetryAfter(RETRY))
            }
        }
    }
}
