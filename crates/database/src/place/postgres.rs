//! Where a PostgreSQL database is, read from a URL.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio_postgres::{
    Config,
    config::{Host, SslMode as Negotiation, TargetSessionAttrs},
};

/// How long one host may take to answer a new connection, unless the URL says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long sent bytes may stay unacknowledged before a connection counts as dead, unless the URL says otherwise.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a connection may be silent before the system asks whether the other side is still there.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);

/// A PostgreSQL database and how to reach it. Prints as hosts and database alone: the rest may be secret.
#[derive(Clone)]
pub struct Postgres {
    /// For each host a configuration of its own, the same otherwise; at least one.
    hosts: Arc<[Config]>,
    ssl: SslMode,
    root_certificates: Option<PathBuf>,
    max_connections: u32,
}

/// How a connection is encrypted, as libpq's `sslmode` means it (PostgreSQL 15, section 34.19.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SslMode {
    /// Never.
    Disable,
    /// If the server can; the certificate is not looked at.
    Prefer,
    /// Always; the certificate is only looked at when `sslrootcert` is given, and then as by `verify-ca`.
    Require,
    /// Always, with a certificate that a trusted authority signed.
    VerifyCa,
    /// Always, with a certificate that a trusted authority signed for the host of the URL.
    VerifyFull,
}

/// Why a database URL cannot be used. Never shows the URL itself: it may hold a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseUrlError(String);

impl Postgres {
    /// Connections that a node holds at most, unless set otherwise.
    pub const MAX_CONNECTIONS: u32 = 20;
    /// One connection writes, another one reads.
    pub const MIN_CONNECTIONS: u32 = 2;

    /// Reads `postgres://user:password@host:port,host:port/database?option=value&…` (libpq's URL, PostgreSQL 15, section
    /// 34.1.1.2). Reserved characters of user and password are percent-encoded.
    ///
    /// Besides `sslmode` and `sslrootcert` (a file of PEM certificates, or `system`) it takes `host` (a folder: the server's
    /// Unix socket), `port`, `user`, `password`, `dbname`, `options`, `application_name`, `connect_timeout`,
    /// `tcp_user_timeout`, `keepalives`, `keepalives_idle`, `keepalives_interval`, `keepalives_retries`, `channel_binding`
    /// and `load_balance_hosts` (among the addresses of one host). Of several hosts the first one that takes writes is used.
    ///
    /// # Errors
    /// Says what is wrong and what would be right, without the password.
    pub fn parse(url: &str) -> Result<Self, DatabaseUrlError> {
        if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(DatabaseUrlError("it must begin with postgres://".to_owned()));
        }
        if url.bytes().any(|b| b.is_ascii_control() || b == b' ') {
            return Err(DatabaseUrlError("it must not have blanks or control characters; write %20 for a blank".to_owned()));
        }
        let (place, query) = url.split_once('?').unwrap_or((url, ""));
        if place.matches('@').count() > 1 {
            return Err(DatabaseUrlError("user and password must be percent-encoded: write %40 for @".to_owned()));
        }
        let (mut ssl, mut root_certificates) = (SslMode::Prefer, None::<PathBuf>);
        let mut others = Vec::new();
        for option in query.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("sslmode", mode)) => ssl = SslMode::parse(mode)?,
                Some(("sslrootcert", file)) => root_certificates = Some(decode("sslrootcert", file)?.into()),
                Some(("target_session_attrs", "read-write" | "primary")) => {}
                Some(("target_session_attrs", _)) => {
                    return Err(DatabaseUrlError("target_session_attrs can only be read-write".to_owned()));
                }
                Some(_) => others.push(option),
                None => return Err(DatabaseUrlError("each option must be written as name=value".to_owned())),
            }
        }
        let rest = if others.is_empty() { place.to_owned() } else { format!("{place}?{}", others.join("&")) };
        let mut config: Config = rest.parse().map_err(|error| DatabaseUrlError(told(&error)))?;
        if config.get_hosts().is_empty() {
            return Err(DatabaseUrlError("it names no host; write postgres://user:password@host/database".to_owned()));
        }
        if config.get_dbname().is_none_or(str::is_empty) {
            return Err(DatabaseUrlError("it names no database; write postgres://user:password@host/database".to_owned()));
        }
        if config.get_user().is_none_or(str::is_empty) {
            return Err(DatabaseUrlError("it names no user; write postgres://user:password@host/database".to_owned()));
        }
        let (hosts, ports) = (config.get_hosts().len(), config.get_ports().len());
        if ports > 1 && ports != hosts {
            return Err(DatabaseUrlError(format!("it has {hosts} hosts and {ports} ports; write one port for each host")));
        }
        if ![0, hosts].contains(&config.get_hostaddrs().len()) {
            return Err(DatabaseUrlError("it has more or fewer hostaddrs than hosts; write one for each host".to_owned()));
        }
        if root_certificates.is_some() && ssl == SslMode::Require {
            ssl = SslMode::VerifyCa;
        }
        if let Some(file) = root_certificates.as_ref().filter(|_| matches!(ssl, SslMode::Disable | SslMode::Prefer)) {
            let file = file.display();
            return Err(DatabaseUrlError(format!("sslrootcert={file} needs sslmode=verify-full (or verify-ca, or require)")));
        }
        config.ssl_mode(match ssl {
            SslMode::Disable => Negotiation::Disable,
            SslMode::Prefer => Negotiation::Prefer,
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => Negotiation::Require,
        });
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        let given = |name: &str| others.iter().any(|option| option.split_once('=').is_some_and(|(key, _)| key == name));
        if !given("application_name") {
            config.application_name("provost");
        }
        if !given("connect_timeout") {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if !given("tcp_user_timeout") {
            config.tcp_user_timeout(TCP_USER_TIMEOUT);
        }
        if !given("keepalives_idle") {
            config.keepalives_idle(KEEPALIVE_IDLE);
        }
        let hosts = (0..hosts).map(|at| only(&config, at)).collect();
        Ok(Self { hosts, ssl, root_certificates, max_connections: Self::MAX_CONNECTIONS })
    }

    /// The same database with another limit of connections for this node, at least [`Self::MIN_CONNECTIONS`]: one of them
    /// writes, the others read.
    #[must_use]
    pub fn with_max_connections(self, max_connections: u32) -> Self {
        Self { max_connections: max_connections.max(Self::MIN_CONNECTIONS), ..self }
    }

    /// The same with other ways to reach its hosts.
    pub(super) fn with_hosts(&self, hosts: Arc<[Config]>) -> Self {
        Self { hosts, ..self.clone() }
    }

    /// How to reach each host, in the order of the URL.
    pub(crate) fn hosts(&self) -> &[Config] {
        &self.hosts
    }

    /// Connections that this node holds at most.
    #[must_use]
    pub fn max_connections(&self) -> u32 {
        self.max_connections
    }

    /// How connections are encrypted.
    #[must_use]
    pub fn ssl_mode(&self) -> SslMode {
        self.ssl
    }

    /// The file with the certificates of trusted authorities; those of the system when `None` or `system`.
    #[must_use]
    pub fn root_certificates(&self) -> Option<&Path> {
        self.root_certificates.as_deref()
    }
}

impl SslMode {
    fn parse(text: &str) -> Result<Self, DatabaseUrlError> {
        Ok(match text {
            "disable" => Self::Disable,
            "prefer" | "allow" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => {
                let modes = "disable, prefer, require, verify-ca or verify-full";
                return Err(DatabaseUrlError(format!("sslmode must be one of {modes}")));
            }
        })
    }
}

/// Hosts and database: what errors and logs may show.
impl fmt::Display for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, config) in self.hosts.iter().enumerate() {
            let separator = if n == 0 { "" } else { "," };
            match config.get_hosts() {
                [Host::Unix(folder), ..] => write!(f, "{separator}{}", folder.display())?,
                [Host::Tcp(name), ..] => write!(f, "{separator}{name}")?,
                [] => {}
            }
            if let Some(port) = config.get_ports().first().filter(|port| **port != 5432) {
                write!(f, ":{port}")?;
            }
        }
        write!(f, "/{}", self.hosts.first().and_then(Config::get_dbname).unwrap_or_default())
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Postgres({self})")
    }
}

impl fmt::Display for DatabaseUrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the database URL cannot be used: {}", self.0)
    }
}

impl std::error::Error for DatabaseUrlError {}

/// The same with one of its hosts alone.
fn only(config: &Config, at: usize) -> Config {
    let mut one = Config::new();
    match config.get_hosts().get(at) {
        Some(Host::Tcp(name)) => _ = one.host(name),
        Some(Host::Unix(folder)) => _ = one.host_path(folder),
        None => {}
    }
    if let Some(address) = config.get_hostaddrs().get(at) {
        one.hostaddr(*address);
    }
    if let Some(port) = config.get_ports().get(at).or(config.get_ports().first()) {
        one.port(*port);
    }
    if let Some(user) = config.get_user() {
        one.user(user);
    }
    if let Some(password) = config.get_password() {
        one.password(password);
    }
    if let Some(name) = config.get_dbname() {
        one.dbname(name);
    }
    if let Some(options) = config.get_options() {
        one.options(options);
    }
    if let Some(name) = config.get_application_name() {
        one.application_name(name);
    }
    if let Some(time) = config.get_connect_timeout() {
        one.connect_timeout(*time);
    }
    if let Some(time) = config.get_tcp_user_timeout() {
        one.tcp_user_timeout(*time);
    }
    if let Some(time) = config.get_keepalives_interval() {
        one.keepalives_interval(time);
    }
    if let Some(number) = config.get_keepalives_retries() {
        one.keepalives_retries(number);
    }
    one.keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .target_session_attrs(config.get_target_session_attrs())
        .channel_binding(config.get_channel_binding())
        .load_balance_hosts(config.get_load_balance_hosts());
    one
}

/// What the client library says, which names options and never values.
fn told(error: &tokio_postgres::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

fn decode(option: &str, value: &str) -> Result<String, DatabaseUrlError> {
    let text = percent_encoding::percent_decode_str(value).decode_utf8();
    text.map(std::borrow::Cow::into_owned).map_err(|_| DatabaseUrlError(format!("{option} is not UTF-8 when decoded")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str) -> String {
        Postgres::parse(url).expect_err(url).to_string()
    }

    #[test]
    fn urls_say_where_the_database_is() {
        for (url, place) in [
            ("postgres://u:p@db.example/provost", "db.example/provost"),
            ("postgresql://u@a,b:6432/provost", "a,b:6432/provost"),
            ("postgres://u:p%40ss@[::1]:5433/p?sslmode=verify-full", "::1:5433/p"),
            ("postgres:///p?host=/run/postgresql&user=u", "/run/postgresql/p"),
            ("postgres://u@%2Frun%2Fpg/p?options=-c%20search_path%3Dprovost", "/run/pg/p"),
        ] {
            let parsed = Postgres::parse(url).expect(url);
            assert_eq!(parsed.to_string(), place, "{url}");
            assert_eq!(format!("{parsed:?}"), format!("Postgres({place})"));
        }
    }

    #[test]
    fn encryption_is_what_libpq_means() {
        let mode = |query: &str| Postgres::parse(&format!("postgres://u@h/d{query}")).map(|p| p.ssl_mode());
        assert_eq!(mode(""), Ok(SslMode::Prefer));
        assert_eq!(mode("?sslmode=require"), Ok(SslMode::Require));
        assert_eq!(mode("?sslmode=require&sslrootcert=/ca.pem"), Ok(SslMode::VerifyCa));
        assert_eq!(mode("?sslmode=verify-full&sslrootcert=system"), Ok(SslMode::VerifyFull));
        assert!(refused("postgres://u@h/d?sslmode=yes").contains("verify-ca or verify-full"));
        assert!(refused("postgres://u@h/d?sslrootcert=/ca.pem").contains("needs sslmode=verify-full"));
    }

    #[test]
    fn refusals_are_precise_and_never_show_the_password() {
        for (url, why) in [
            ("mysql://u:hunter2@h/d", "must begin with postgres://"),
            ("u:hunter2@h/d", "must begin with postgres://"),
            ("postgres://u:hunter2@/d", "names no host"),
            ("postgres://u:hunter2@h", "names no database"),
            ("postgres://h/d?password=hunter2", "names no user"),
            ("postgres://u:hunter2@h:70000/d", "port"),
            ("postgres://u:hunter2@a:1,b:2/d?host=/run", "3 hosts and 2 ports"),
            ("postgres://u:hunter2@h/d?colour=hunter2", "unknown option `colour`"),
            ("postgres://u:hunter2@h/d?sslmode=hunter2", "sslmode must be one of"),
            ("postgres://u:hunter2@h/d?connect_timeout=hunter2", "connect_timeout"),
            ("postgres://u:hunter2@h/d?target_session_attrs=any", "can only be read-write"),
            ("postgres://u:hunt@er2@h/d", "write %40 for @"),
            ("postgres://u:hunter2@h/d?hunter2", "name=value"),
            ("postgres://u:hunter2 @h/d", "must not have blanks"),
        ] {
            let told = refused(url);
            assert!(told.contains(why) && !told.contains("hunter2") && !told.contains("er2"), "{url}: {told}");
        }
    }

    #[test]
    fn connections_have_a_floor() {
        let database = Postgres::parse("postgres://u@h/d").expect("parses");
        assert_eq!(database.max_connections(), Postgres::MAX_CONNECTIONS);
        assert_eq!(database.with_max_connections(0).max_connections(), Postgres::MIN_CONNECTIONS);
    }
}
