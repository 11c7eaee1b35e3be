//! Webhooks: events sent to places that tenants name, through the guard, each with a token that vouches for its body.

use std::{sync::Arc, time::Duration};

use aws_lc_rs::digest;
use domain::{Error, Timestamp};
use reqwest::{
    Method, Request,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue},
};

use crate::{
    Settings, Tokens,
    issuers::{FetchError, GuardedClient, Resolver},
};

/// What sinks are called in errors.
const SINK: &str = "the sink";
/// How much of an answer is read, in bytes: nobody looks at it.
const MAX_ANSWER: usize = 16 * 1024;
/// How long a token is good: longer than a request takes, with clocks that differ.
const LIFETIME: Duration = Duration::from_mins(10);

/// Sends events. Each request is judged by the guard anew, its address included.
#[derive(Debug)]
pub struct Webhooks {
    client: GuardedClient,
    tokens: Tokens,
}

/// What is sent.
#[derive(Clone, Copy, Debug)]
pub struct Post<'a> {
    /// Where to.
    pub sink: &'a str,
    /// In the name of which group's subscription.
    pub group: &'a str,
    /// The token's `jti`.
    pub token_id: &'a str,
    /// Headers beside those of every request.
    pub headers: &'a [(String, String)],
    /// The body, which is JSON.
    pub body: &'a str,
    /// The time.
    pub now: Timestamp,
}

/// What keeps an event from arriving, in words that its tenant may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// What it is.
    pub problem: String,
    /// Whether the sink is down, and would take no other event either.
    pub is_down: bool,
}

impl Webhooks {
    /// Webhooks with tokens of `tokens`; a whole request takes no longer than `timeout`, and no more than `at_once` run.
    #[must_use]
    pub fn new(settings: &Settings, tokens: Tokens, resolver: Arc<dyn Resolver>, timeout: Duration, at_once: usize) -> Self {
        let mut settings = settings.clone();
        (settings.limits.fetch_timeout, settings.limits.fetches) = (timeout, at_once.max(1));
        settings.limits.connect_timeout = settings.limits.connect_timeout.min(timeout);
        Self { client: GuardedClient::new(&settings, resolver), tokens }
    }

    /// Sends one, and answers what has kept it from arriving, if anything has. It has arrived when the other side says so, with a
    /// status of 2xx.
    ///
    /// # Errors
    /// Unavailable when no token can be made, which is not the sink's fault.
    pub async fn post(&self, post: Post<'_>) -> Result<Option<Undelivered>, Error> {
        let digest = digest::digest(&digest::SHA256, post.body.as_bytes());
        let digest = format!("sha256:{}", hex::encode(digest));
        let subject = format!("webhook:{}", post.group);
        let token = self.tokens.mint_webhook(&subject, &digest, post.token_id, LIFETIME, post.now).await?;
        let request = self.client.admit(SINK, post.sink).and_then(|url| {
            let unfit = || FetchError::Refused("the event cannot be written in headers".to_owned());
            let mut request = Request::new(Method::POST, url);
            let headers = request.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            for (name, value) in post.headers {
                let name = HeaderName::try_from(name).map_err(|_| unfit())?;
                headers.insert(name, HeaderValue::from_str(value).map_err(|_| unfit())?);
            }
            let mut bearer = HeaderValue::from_str(&format!("Bearer {}", token.expose())).map_err(|_| unfit())?;
            bearer.set_sensitive(true);
            headers.insert(AUTHORIZATION, bearer);
            *request.body_mut() = Some(post.body.to_owned().into());
            Ok(request)
        });
        let told = match request {
            Ok(request) => self.client.tell(SINK, request, MAX_ANSWER).await,
            Err(error) => Err(error),
        };
        let told = told.and_then(|status| match status {
            status if status.is_success() => Ok(()),
            status => Err(FetchError::Refused(format!("{SINK} answered {status}"))),
        });
        Ok(told
            .err()
            .map(|error| Undelivered { problem: error.outside().to_string(), is_down: !matches!(error, FetchError::Refused(_)) }))
    }
}
