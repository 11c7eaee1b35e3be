//! Everything about a server that can be set, and what is refused.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use domain::iam::TermsDocument;
use gateway::settings::TrustedProxies;
use store::{Database, StoreConfig};
use sts::{
    Provider,
    claims::{UrlPolicy, is_loopback},
    issuers::Places,
    jws::TokenAlgorithm,
};
use url::Url;

use super::{StartError, terms, tls::TlsFiles};

/// How events are delivered.
pub use delivery::Settings as Events;

/// The settings of a server. Nothing in here is read from the environment. The defaults are those of a server outside dev mode.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to listen; port 0 lets the system choose one. At least one address.
    pub listen: Vec<SocketAddr>,
    /// The folder with everything that must survive: database, keys. Made when it does not exist.
    pub data: PathBuf,
    /// The database.
    pub database: Database,
    /// The file with the key-encryption key; `key` in the data folder when `None`. Servers that share a database must share
    /// the key, so PostgreSQL does not go without one.
    pub key_file: Option<PathBuf>,
    /// The URL under which clients reach the server: audience of its tokens. Only dev mode can do without.
    pub base_url: Option<String>,
    /// The issuer of its tokens; the base URL when `None`.
    pub auth_url: Option<String>,
    /// The registry's host: audience of tokens for it; host and port of the base URL when `None`.
    pub registry_host: Option<String>,
    /// What its tokens are signed with; ES256 when `None`.
    pub token_algorithm: Option<TokenAlgorithm>,
    /// Development mode: loopback only, with an identity provider of its own and a first organization.
    pub dev: bool,
    /// Whether every authenticated caller may create organizations.
    pub self_service_organizations: bool,
    /// Whether who has written an event of an advisory may approve it.
    pub self_approval: bool,
    /// The identity providers whose users may log in without naming an identity.
    pub providers: Vec<Provider>,
    /// The documents that can be accepted, and the methods that need them.
    pub terms: Vec<TermsDocument>,
    /// Certificate and key; plain HTTP without them.
    pub tls: Tls,
    /// Whose word about the client's address counts.
    pub trusted_proxies: TrustedProxies,
    /// Where metrics are served; nowhere when `None`.
    pub metrics_listen: Option<SocketAddr>,
    /// Requests to identity providers and clouds.
    pub outbound: Outbound,
    /// Patterns and pasted keys of identities.
    pub patterns: Patterns,
    /// Sessions of users.
    pub sessions: Sessions,
    /// Delivery of events.
    pub events: Events,
    /// How long what is old is kept.
    pub retention: Retention,
    /// Sizes, times and counts of the port.
    pub limits: gateway::Limits,
    /// The log of the process.
    pub log: Log,
}

/// Requests to identity providers and clouds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outbound {
    /// Whether identity providers may have private addresses. Dev mode always allows loopback ones.
    pub allow_private_addresses: bool,
    /// If there are any, identity providers elsewhere are not asked.
    pub allow: Places,
    /// Identity providers here are never asked.
    pub deny: Places,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How long a whole answer may take.
    pub timeout: Duration,
    /// AWS's token service, an origin. In dev mode a stand-in on loopback may answer for it.
    pub aws_sts_url: String,
    /// Google's token service, an origin. In dev mode it may stand on loopback, as the following.
    pub google_sts_url: String,
    /// Google's service for credentials of service accounts, an origin.
    pub google_iam_credentials_url: String,
    /// Microsoft's identity platform, an origin.
    pub azure_login_url: String,
}

/// Patterns and pasted keys of identities: what making them ready for use may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patterns {
    /// Threads for that; one organization gets half of them at most.
    pub threads: usize,
    /// Requests of one organization that may wait for such a thread.
    pub waiting: usize,
    /// How long one may wait.
    pub timeout: Duration,
    /// Bytes that all remembered ones may take, made ready for use.
    pub memory: usize,
}

/// Sessions of users, which refresh tokens renew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sessions {
    /// How long one lasts, however often it is used.
    pub lifetime: Duration,
    /// How long one lasts that nobody uses.
    pub idle: Duration,
    /// How many a user may have; with none, nobody gets a refresh token.
    pub per_user: u32,
}

/// The files for TLS: both or none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// PEM certificates: that of the server first.
    pub certificate: Option<PathBuf>,
    /// The private key of the first certificate, in PEM.
    pub key: Option<PathBuf>,
}

/// What a line of the log looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people
    Text,
    /// One JSON object per line
    Json,
}

/// How long what is old is kept; forever where there is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Events that no delivery needs any more.
    pub events: Option<Duration>,
    /// Entries of the audit log, with the changes of their commits.
    pub audit_log: Option<Duration>,
    /// How often it is looked for old events, and for entries of the audit log that were to go when a server stopped.
    pub period: Duration,
    /// How often the audit log is looked into for old entries. The first time is one `period` after the start.
    pub log_period: Duration,
    /// Old entries of the audit log are left as long as they are fewer.
    pub fewest: u64,
}

/// The log of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// What a line looks like.
    pub format: LogFormat,
    /// What is logged, in the syntax of `tracing_subscriber::EnvFilter`.
    pub filter: String,
    /// Traces, if any are sent.
    #[cfg(feature = "otel")]
    pub traces: Option<Traces>,
}

/// Traces for OpenTelemetry. Where they go, its own library reads from the variables `OTEL_…`.
#[cfg(feature = "otel")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// What they call this program, if not `provost`.
    pub service_name: Option<String>,
}

/// Where servers tell their metrics by default.
pub(crate) const METRICS_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 9464);

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: vec![([127, 0, 0, 1], 8080).into()],
            data: PathBuf::from("./provost-data"),
            database: Database::Sqlite,
            key_file: None,
            base_url: None,
            auth_url: None,
            registry_host: None,
            token_algorithm: None,
            dev: false,
            self_service_organizations: false,
            self_approval: false,
            providers: Vec::new(),
            terms: Vec::new(),
            tls: Tls::default(),
            trusted_proxies: TrustedProxies::default(),
            metrics_listen: Some(METRICS_LISTEN),
            outbound: Outbound::default(),
            patterns: Patterns::default(),
            sessions: Sessions::default(),
            events: Events::default(),
            retention: Retention::default(),
            limits: gateway::Limits::default(),
            log: Log {
                format: LogFormat::Text,
                filter: "info".to_owned(),
                #[cfg(feature = "otel")]
                traces: None,
            },
        }
    }
}

impl Default for Outbound {
    fn default() -> Self {
        let limits = sts::Limits::default();
        let (allow, deny) = (Places::default(), Places::default());
        Self {
            allow_private_addresses: false,
            allow,
            deny,
            connect_timeout: limits.connect_timeout,
            timeout: limits.fetch_timeout,
            aws_sts_url: sts::settings::AWS_STS_URL.to_owned(),
            google_sts_url: sts::settings::GOOGLE_STS_URL.to_owned(),
            google_iam_credentials_url: sts::settings::GOOGLE_IAM_CREDENTIALS_URL.to_owned(),
            azure_login_url: sts::settings::AZURE_LOGIN_URL.to_owned(),
        }
    }
}

impl Default for Patterns {
    fn default() -> Self {
        let limits = sts::Limits::default();
        Self {
            threads: limits.work_threads,
            waiting: limits.work_waiting,
            timeout: limits.work_timeout,
            memory: usize::try_from(limits.compiled_memory).unwrap_or(usize::MAX),
        }
    }
}

impl Default for Sessions {
    fn default() -> Self {
        let limits = sts::Limits::default();
        Self { lifetime: limits.session_lifetime, idle: limits.session_idle, per_user: limits.sessions_per_user }
    }
}

impl Default for Retention {
    fn default() -> Self {
        let days = |days: u64| Some(Duration::from_hours(24 * days));
        let [period, log_period] = [1, 24].map(Duration::from_hours);
        Self { events: days(7), audit_log: days(400), period, log_period, fewest: 1000 }
    }
}

impl Settings {
    /// The settings of a server in dev mode with everything else as by default.
    pub fn dev(listen: SocketAddr, data: impl Into<PathBuf>) -> Self {
        let (dev, listen) = (true, vec![listen]);
        let limits = gateway::Limits { ready_drain: Duration::ZERO, ..gateway::Limits::default() };
        Self { listen, data: data.into(), dev, self_service_organizations: true, metrics_listen: None, limits, ..Self::default() }
    }

    /// Where the key-encryption key is.
    #[must_use]
    pub fn key_path(&self) -> PathBuf {
        self.key_file.clone().unwrap_or_else(|| self.data.join("key"))
    }

    /// Where the store is.
    #[must_use]
    pub fn store_config(&self) -> StoreConfig {
        StoreConfig { data: self.data.clone(), database: self.database.clone() }
    }

    /// Refuses what must not be started, before anything is touched.
    ///
    /// # Errors
    /// Says which setting is wrong and what would be right.
    pub fn check(&self) -> Result<(), StartError> {
        if let Some(outside) = self.listen.iter().find(|at| self.dev && !at.ip().is_loopback()) {
            return Err(StartError::setting(format!(
                "dev mode hands out any identity, so it only listens on this machine, not on {}; \
                 use --listen 127.0.0.1:{}, or run without --dev",
                outside.ip(),
                outside.port()
            )));
        }
        if let Some(outside) = self.metrics_listen.filter(|at| self.dev && !at.ip().is_loopback()) {
            return Err(StartError::setting(format!(
                "dev mode only listens on this machine, not on {}; use --metrics-listen 127.0.0.1:{}, or run without --dev",
                outside.ip(),
                outside.port()
            )));
        }
        if let (Database::Postgres(database), None) = (&self.database, &self.key_file) {
            return Err(StartError::setting(format!(
                "--key-file is missing: every server of {database} needs the same key, in a file outside its data folder; \
                 the first one makes it where --key-file says, and every further one needs a copy"
            )));
        }
        if self.base_url.is_none() && !self.dev {
            return Err(StartError::setting(
                "--base-url is missing: the https URL under which clients reach this server; --dev does without",
            ));
        }
        let urls = [("base URL", &self.base_url), ("URL of the issuer (auth-url)", &self.auth_url)];
        urls.into_iter().try_for_each(|(what, url)| url.as_ref().map_or(Ok(()), |url| check_url(what, url, self.dev)))?;
        self.registry_host.as_deref().map_or(Ok(()), check_host)?;
        self.check_tls()?;
        let policy = UrlPolicy { allow_loopback_http: self.dev };
        for Provider { issuer, .. } in &self.providers {
            policy.issuer(issuer).map_err(|why| StartError::setting(format!("the identity provider {issuer:?} {why}")))?;
        }
        terms::check(&self.terms)?;
        let clouds = [
            ("outbound-aws-sts-url", &self.outbound.aws_sts_url),
            ("outbound-google-sts-url", &self.outbound.google_sts_url),
            ("outbound-google-iam-credentials-url", &self.outbound.google_iam_credentials_url),
            ("outbound-azure-login-url", &self.outbound.azure_login_url),
        ];
        clouds.into_iter().try_for_each(|(setting, url)| check_cloud(policy, setting, url))
    }

    /// What is allowed, but rarely meant: an address that others reach, without TLS and without a proxy that is known to end it.
    #[must_use]
    pub fn exposure(&self) -> Option<String> {
        if self.tls_files().is_some() || !self.trusted_proxies.networks.is_empty() {
            return None;
        }
        let address = self.listen.iter().find(|at| !at.ip().is_loopback())?;
        Some(format!(
            "{address} speaks plain HTTP to other machines: give it a certificate with --tls-certificate-file and --tls-key-file, or, \
             behind a proxy that ends TLS, name that in --trusted-proxies; without, all its clients count as one"
        ))
    }

    fn check_tls(&self) -> Result<(), StartError> {
        let refuse = |why: &str| Err(StartError::setting(why));
        match (&self.tls.certificate, &self.tls.key) {
            (Some(_), None) => refuse("--tls-key-file is missing: the private key of the certificate"),
            (None, Some(_)) => refuse("--tls-certificate-file is missing: the certificate of the private key"),
            (Some(_), Some(_)) if self.dev => {
                refuse("dev mode speaks plain HTTP on this machine; leave out the certificate, or run without --dev")
            }
            (Some(_), Some(_)) if self.base_url.as_ref().is_some_and(|url| !url.starts_with("https://")) => {
                refuse("with a certificate the base URL must begin with https://")
            }
            _ => Ok(()),
        }
    }

    /// The files for TLS, if there are any.
    #[must_use]
    pub fn tls_files(&self) -> Option<TlsFiles> {
        let (certificate, key) = (self.tls.certificate.clone()?, self.tls.key.clone()?);
        Some(TlsFiles { certificate, key })
    }

    /// The URLs of a server that listens at `addr`.
    #[must_use]
    pub fn urls_at(&self, addr: SocketAddr) -> Urls {
        let base = self.base_url.clone().unwrap_or_else(|| format!("http://{addr}"));
        // A base URL is an origin: what follows the scheme is host and port.
        let host = || base.split_once("://").map(|(_, host)| host.to_owned()).unwrap_or_default();
        Urls {
            auth: self.auth_url.clone().unwrap_or_else(|| base.clone()),
            registry_host: self.registry_host.clone().unwrap_or_else(host),
            token_algorithm: self.token_algorithm.unwrap_or_default(),
            base,
        }
    }
}

/// Under which names a server is known, and how its tokens are signed. None of that ever comes from a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Urls {
    /// The API's URL: the audience of its tokens.
    pub base: String,
    /// The issuer's URL: the `iss` of its tokens.
    pub auth: String,
    /// The registry's host: the audience of tokens for it.
    pub registry_host: String,
    /// What its tokens are signed with.
    pub token_algorithm: TokenAlgorithm,
}

impl From<Urls> for sts::Settings {
    /// The settings of a token service with these names, and nothing else allowed.
    fn from(urls: Urls) -> Self {
        Self {
            auth_url: urls.auth,
            registry_host: Some(urls.registry_host),
            token_algorithm: urls.token_algorithm,
            ..Self::new(urls.base)
        }
    }
}

/// Such a URL is one that may be asked, and an origin alone.
fn check_cloud(policy: UrlPolicy, setting: &str, text: &str) -> Result<(), StartError> {
    let refuse = |why: &str| Err(StartError::setting(format!("--{setting} {why}, not {text:?}")));
    match policy.fetchable(text) {
        Err(why) => refuse(&why),
        Ok(url) if url.origin().ascii_serialization() != text => {
            refuse("must be scheme, host and port alone, in lower case and without a slash at the end")
        }
        Ok(_) => Ok(()),
    }
}

/// Such a URL is `https`, or `http` on loopback, and an origin alone: tokens carry it byte for byte.
fn check_url(what: &str, text: &str, dev: bool) -> Result<(), StartError> {
    let refuse = |why: &str| Err(StartError::setting(format!("{text:?} cannot be the {what}: {why}")));
    let Ok(url) = Url::parse(text) else { return refuse("it does not parse") };
    if url.host().is_none() {
        return refuse("it names no host");
    }
    match url.scheme() {
        "https" if !dev => {}
        "http" if is_loopback(&url) => {}
        "http" => return refuse("http is for this machine alone; use https"),
        _ if dev => return refuse("in dev mode it must be http on this machine"),
        _ => return refuse("it must begin with https://"),
    }
    if url.origin().ascii_serialization() != text {
        return refuse("it must be scheme, host and port alone, in lower case and without a slash at the end");
    }
    Ok(())
}

/// A host name with or without a port, as image references write it.
fn check_host(text: &str) -> Result<(), StartError> {
    let url = Url::parse(&format!("https://{text}")).ok();
    let is_host = url.is_some_and(|url| url.origin().ascii_serialization().strip_prefix("https://") == Some(text));
    let refuse =
        || StartError::setting(format!("{text:?} cannot be the registry's host: write host or host:port, in lower case"));
    if is_host { Ok(()) } else { Err(refuse()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(dev: bool, listen: &str, base_url: Option<&str>) -> String {
        let listen = listen.parse().expect("an address");
        let settings = Settings { dev, base_url: base_url.map(str::to_owned), ..Settings::dev(listen, "data") };
        settings.check().map_or_else(|error| error.to_string(), |()| "ok".to_owned())
    }

    #[test]
    fn dev_mode_stays_on_the_machine() {
        for (listen, ok) in
            [("127.0.0.1:0", true), ("[::1]:80", true), ("0.0.0.0:80", false), ("[::]:80", false), ("10.0.0.1:80", false)]
        {
            assert_eq!(told(true, listen, None) == "ok", ok, "{listen}");
        }
        assert!(told(true, "0.0.0.0:80", None).contains("use --listen 127.0.0.1:80"));
        assert!(told(true, "127.0.0.1:80", Some("https://a.example")).contains("in dev mode it must be http on this machine"));
    }

    #[test]
    fn a_shared_database_needs_a_shared_key() {
        let listen = "127.0.0.1:0".parse().expect("an address");
        let database = store::Postgres::parse("postgres://u:hunter2@db.example/provost").expect("a URL");
        let mut settings = Settings { database: Database::Postgres(database), ..Settings::dev(listen, "data") };
        let told = settings.check().expect_err("no key").to_string();
        assert!(told.contains("--key-file is missing: every server of db.example/provost"), "{told}");
        assert!(told.contains("the first one makes it"), "{told}");
        assert!(!told.contains("hunter2"), "{told}");
        settings.key_file = Some("key".into());
        assert!(settings.check().is_ok());
    }

    #[test]
    fn plain_http_for_other_machines_needs_a_proxy() {
        let settings = |listen: &str| Settings { listen: vec![listen.parse().expect("an address")], ..Settings::default() };
        for open in ["0.0.0.0:8080", "[::]:8080", "10.0.0.1:80"] {
            let told = settings(open).exposure().expect(open);
            assert!(told.starts_with(&format!("{open} speaks plain HTTP")), "{told}");
            let trusted_proxies =
                TrustedProxies { networks: vec!["10.0.0.9".parse().expect("a network")], ..TrustedProxies::default() };
            assert_eq!(Settings { trusted_proxies, ..settings(open) }.exposure(), None);
            let tls = Tls { certificate: Some("cert.pem".into()), key: Some("key.pem".into()) };
            assert_eq!(Settings { tls, ..settings(open) }.exposure(), None);
        }
        assert_eq!([settings("127.0.0.1:8080"), settings("[::1]:80")].map(|settings| settings.exposure()), [None, None]);
    }

    #[test]
    fn a_base_url_is_a_clean_origin() {
        let listen = "0.0.0.0:80";
        assert!(told(false, listen, None).contains("--base-url is missing"));
        for good in ["https://a.example", "https://a.example:8443", "http://localhost:8080", "http://127.0.0.1", "http://[::1]:1"]
        {
            assert_eq!(told(false, listen, Some(good)), "ok", "{good}");
        }
        for (bad, why) in [
            ("a.example", "does not parse"),
            ("http://a.example", "http is for this machine alone"),
            ("ftp://a.example", "must begin with https://"),
            ("https://a.example/", "scheme, host and port alone"),
            ("https://a.example/x", "scheme, host and port alone"),
            ("https://A.example", "scheme, host and port alone"),
            ("https://u@a.example", "scheme, host and port alone"),
            ("https://a.example?q", "scheme, host and port alone"),
            ("https://a.example:443", "scheme, host and port alone"),
        ] {
            let told = told(false, listen, Some(bad));
            assert!(told.contains(why), "{bad}: {told}");
        }
    }
}
