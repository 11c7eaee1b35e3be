//! Everything about tokens that can be set.

use std::time::Duration;

use url::Url;

use crate::{claims::UrlPolicy, issuers::Places, jws::TokenAlgorithm};

/// AWS's token service where nothing else is said.
pub const AWS_STS_URL: &str = "https://sts.amazonaws.com";
/// Google's token service where nothing else is said.
pub const GOOGLE_STS_URL: &str = "https://sts.googleapis.com";
/// Google's service for credentials of service accounts where nothing else is said.
pub const GOOGLE_IAM_CREDENTIALS_URL: &str = "https://iamcredentials.googleapis.com";
/// Microsoft's identity platform where nothing else is said.
pub const AZURE_LOGIN_URL: &str = "https://login.microsoftonline.com";

/// The settings of this crate. None is read from the environment here.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The API's URL: the audience of API tokens.
    pub base_url: String,
    /// The issuer's URL: the `iss` of our tokens, byte for byte.
    pub auth_url: String,
    /// What our tokens are signed with.
    pub token_algorithm: TokenAlgorithm,
    /// The registry's host name: a further audience that may be asked for.
    pub registry_host: Option<String>,
    /// The identity providers whose users may exchange without naming an identity.
    pub providers: Vec<Provider>,
    /// Accept issuers and key sets on loopback http: dev mode only.
    pub allow_loopback_http: bool,
    /// Let issuers resolve to private addresses, for installations whose identity provider stands in the same network.
    /// Link-local addresses, where clouds keep their metadata, stay refused.
    pub allow_private_addresses: bool,
    /// If there are any, no issuer elsewhere is asked. A network here admits private addresses in it as well.
    pub allow: Places,
    /// No issuer here is asked, whatever else is allowed.
    pub deny: Places,
    /// AWS's token service, an origin: who has signed a request is asked there, and accounts are tried. Requests have to be signed
    /// for its host; for `sts.amazonaws.com` if it is a stand-in on loopback.
    pub aws_sts_url: String,
    /// Google's token service, an origin.
    pub google_sts_url: String,
    /// Google's service for credentials of service accounts, an origin.
    pub google_iam_credentials_url: String,
    /// Microsoft's identity platform, an origin.
    pub azure_login_url: String,
    /// How long things last and how large they may be.
    pub limits: Limits,
}

/// An identity provider whose users may exchange without naming an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Its issuer URL.
    pub issuer: String,
    /// The audiences that its tokens may have; empty means our issuer URL or its host name.
    pub audiences: Vec<String>,
}

/// Lifetimes, sizes and rates.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long our tokens live.
    pub token_lifetime: Duration,
    /// The longest life of an operator's token.
    pub operator_token_lifetime: Duration,
    /// How far the clocks of issuers may be ahead, for `nbf` and `iat`.
    pub leeway: Duration,
    /// How long a key that no longer signs stays published after a rotation: longer than any token lives.
    pub rotation_overlap: Duration,
    /// How long a new key is published before it signs: longer than [`Limits::keys_reload`] and what verifiers may keep a
    /// key set for, together.
    pub rotation_lead: Duration,
    /// How often every node reads the signing keys again.
    pub keys_reload: Duration,
    /// Limit for connecting to an issuer.
    pub connect_timeout: Duration,
    /// Limit for one answer of an issuer, from the request to its last byte.
    pub fetch_timeout: Duration,
    /// Largest discovery document or key set in bytes.
    pub fetch_size: usize,
    /// How many fetches may run at once.
    pub fetches: usize,
    /// How long a discovery document is good.
    pub discovery_ttl: Duration,
    /// How long a key set is good.
    pub keys_ttl: Duration,
    /// How much longer a key set is used when the issuer does not answer, or not at once.
    pub stale_ttl: Duration,
    /// How long a fetch is waited for when a key set that may be used meanwhile is there, so that the keys which an issuer
    /// has withdrawn go in time if it answers.
    pub stale_wait: Duration,
    /// How often an unknown key may make us ask an issuer again.
    pub refresh_interval: Duration,
    /// How long a failure to ask an issuer is remembered, from its end.
    pub failure_ttl: Duration,
    /// How many issuers are remembered, if their key sets are of ordinary size.
    pub issuers: u64,
    /// How many bytes the keys of all remembered issuers may take, about.
    pub issuer_memory: u64,
    /// Threads that compile patterns, read keys and match long claims. One organization gets half of them at most.
    pub work_threads: usize,
    /// How many requests of one organization may wait for such a thread.
    pub work_waiting: usize,
    /// How long one may wait.
    pub work_timeout: Duration,
    /// How many bytes all remembered patterns and pasted keys may take, made ready for use, about.
    pub compiled_memory: u64,
    /// How long a session of a user lasts, however often it is used.
    pub session_lifetime: Duration,
    /// How long one lasts that nobody uses: the life of a refresh token.
    pub session_idle: Duration,
    /// How many sessions a user may have; with none, nobody gets a refresh token.
    pub sessions_per_user: u32,
}

impl Settings {
    /// The settings of a server with one origin for API and issuer, and nothing else allowed.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        let url = url.into();
        Self {
            base_url: url.clone(),
            auth_url: url,
            token_algorithm: TokenAlgorithm::default(),
            registry_host: None,
            providers: Vec::new(),
            allow_loopback_http: false,
            allow_private_addresses: false,
            allow: Places::default(),
            deny: Places::default(),
            aws_sts_url: AWS_STS_URL.to_owned(),
            google_sts_url: GOOGLE_STS_URL.to_owned(),
            google_iam_credentials_url: GOOGLE_IAM_CREDENTIALS_URL.to_owned(),
            azure_login_url: AZURE_LOGIN_URL.to_owned(),
            limits: Limits::default(),
        }
    }

    /// Which URLs may be asked for keys.
    #[must_use]
    pub fn url_policy(&self) -> UrlPolicy {
        UrlPolicy { allow_loopback_http: self.allow_loopback_http }
    }

    /// Whether people log in with tokens that this issuer makes for this client, by the settings alone.
    #[must_use]
    pub fn logs_in(&self, issuer: &str, client: &str) -> bool {
        let found = self.providers.iter().find(|provider| provider.issuer == issuer);
        found.is_some_and(|provider| self.audiences_of(provider).iter().any(|audience| audience == client))
    }

    /// The audiences that tokens of a provider of the settings may have.
    #[must_use]
    pub fn audiences_of(&self, provider: &Provider) -> Vec<String> {
        if provider.audiences.is_empty() { self.default_audiences() } else { provider.audiences.clone() }
    }

    /// The audiences of upstream tokens that stand for us when a rule names none: our issuer URL and its host name.
    #[must_use]
    pub fn default_audiences(&self) -> Vec<String> {
        let host = Url::parse(&self.auth_url).ok().and_then(|url| url.host_str().map(str::to_owned));
        std::iter::once(self.auth_url.clone()).chain(host).collect()
    }
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            token_lifetime: seconds(3600),
            operator_token_lifetime: seconds(3600),
            leeway: seconds(60),
            rotation_overlap: seconds(2 * 3600),
            rotation_lead: seconds(120),
            keys_reload: seconds(15),
            connect_timeout: seconds(3),
            fetch_timeout: seconds(8),
            fetch_size: 1024 * 1024,
            fetches: 32,
            discovery_ttl: seconds(3600),
            keys_ttl: seconds(900),
            stale_ttl: seconds(3600),
            stale_wait: Duration::from_millis(500),
            refresh_interval: seconds(10),
            failure_ttl: seconds(5),
            issuers: 1024,
            issuer_memory: 64 << 20,
            work_threads: 2,
            work_waiting: 64,
            work_timeout: seconds(5),
            compiled_memory: 128 << 20,
            session_lifetime: seconds(30 * 24 * 3600),
            session_idle: seconds(7 * 24 * 3600),
            sessions_per_user: 20,
        }
    }
}
