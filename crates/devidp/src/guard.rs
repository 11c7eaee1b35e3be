//! Who may talk to the provider: requests that are addressed to its own host, from no other origin, and whose body is of a type that
//! tools send.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, Method, Uri, header},
    middleware::Next,
    response::Response,
};
use domain::{Error, Rule};
use url::{Host, Url};

use crate::{DevIdp, answer};

/// Fetch Metadata Request Headers section 2.3: where the page is from that makes a browser send a request.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The authorities that name this server.
#[derive(Debug)]
pub(crate) struct Guard {
    scheme: String,
    hosts: Vec<String>,
}

impl Guard {
    pub(crate) fn new(origin: &str) -> Result<Self, Error> {
        let wrong = || Error::field("origin", format!("origin must be like http://127.0.0.1:8080, not {origin:?}"));
        let url = Url::parse(origin).map_err(|_| wrong())?;
        let is_origin =
            matches!(url.scheme(), "http" | "https") && url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let host = url.host().filter(|_| is_origin && url.username().is_empty()).ok_or_else(wrong)?;
        let mut names = vec![host.to_string()];
        let is_loopback = match host {
            Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        if is_loopback {
            names.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
        }
        let hosts = names.into_iter().map(|name| url.port().map_or(name.clone(), |port| format!("{name}:{port}"))).collect();
        Ok(Self { scheme: url.scheme().to_owned(), hosts })
    }

    /// RFC 9110 section 7.2 and RFC 6454 section 7; HTTP/2 names the host in the URI.
    fn admit(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Error> {
        let foreign = |name: &str| {
            let message = format!("the development identity provider answers only to its own {name}: {}", self.hosts.join(", "));
            Err(Error::denied(Rule::CapabilityMissing, message))
        };
        let hosts: Vec<_> =
            texts(headers, &header::HOST).chain(uri.authority().map(|authority| Some(authority.as_str()))).collect();
        if hosts.is_empty() || !hosts.iter().all(|host| host.is_some_and(|host| self.is_own(host))) {
            return foreign("Host");
        }
        let is_own =
            |origin: &str| origin.split_once("://").is_some_and(|(scheme, host)| scheme == self.scheme && self.is_own(host));
        if !texts(headers, &header::ORIGIN).all(|origin| origin.is_some_and(is_own)) {
            return foreign("Origin");
        }
        let is_own = |site: &str| matches!(site, "same-origin" | "none");
        if !texts(headers, &SEC_FETCH_SITE).all(|site| site.is_some_and(is_own)) {
            let message = "the development identity provider answers no pages of other sites";
            return Err(Error::denied(Rule::CapabilityMissing, message));
        }
        Ok(())
    }

    fn is_own(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }
}

/// The values of a header; `None` for one that is no text.
fn texts<'a>(headers: &'a HeaderMap, name: &'a HeaderName) -> impl Iterator<Item = Option<&'a str>> {
    headers.get_all(name).iter().map(|value| value.to_str().ok())
}

/// Refuses a body of a type that pages of others can have sent without being asked for their origin. Tools say JSON, or that it is a
/// form where nobody told them what it is.
fn admit_body(headers: &HeaderMap) -> Result<(), Error> {
    let is_admitted = |value: &str| {
        let kind = value.split(';').next().unwrap_or_default().trim();
        ["application/json", "application/x-www-form-urlencoded"].iter().any(|admitted| admitted.eq_ignore_ascii_case(kind))
    };
    let mut kinds = texts(headers, &header::CONTENT_TYPE);
    match (kinds.next().flatten(), kinds.next()) {
        (Some(kind), None) if is_admitted(kind) => Ok(()),
        _ => Err(Error::field("content-type", "content-type must be application/json")),
    }
}

/// Lets a request through, or answers 403, or 400 for a body of another type.
pub(crate) async fn check(State(provider): State<DevIdp>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let admitted = provider.0.guard.admit(request.uri(), headers).and_then(|()| match *request.method() {
        Method::POST => admit_body(headers),
        _ => Ok(()),
    });
    match admitted {
        Ok(()) => next.run(request).await,
        Err(error) => answer::error(&error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(uri: &str, headers: &[(HeaderName, &str)]) -> bool {
        let guard = Guard::new("http://127.0.0.1:8080").expect("an origin");
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().expect("a value"))).collect();
        guard.admit(&uri.parse().expect("a URI"), &headers).is_ok()
    }

    #[test]
    fn only_its_own_host_and_origin_are_admitted() {
        for host in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"] {
            assert!(admits("/dev/idp/mint", &[(header::HOST, host)]), "{host}");
            assert!(admits(&format!("http://{host}/dev/idp/mint"), &[]), "{host}");
        }
        for host in ["evil.example:8080", "127.0.0.1", "127.0.0.1:8081", "127.0.0.1:8080.evil.example", "", "10.0.0.1:8080"] {
            assert!(!admits("/dev/idp/mint", &[(header::HOST, host)]), "{host}");
        }
        assert!(!admits("/dev/idp/mint", &[]));
        assert!(!admits("http://evil.example/", &[(header::HOST, "127.0.0.1:8080")]));
        assert!(!admits("/", &[(header::HOST, "127.0.0.1:8080"), (header::HOST, "evil.example")]));
        let with_origin = |origin| admits("/", &[(header::HOST, "127.0.0.1:8080"), (header::ORIGIN, origin)]);
        assert!(with_origin("http://127.0.0.1:8080") && with_origin("http://localhost:8080"));
        for origin in ["null", "https://127.0.0.1:8080", "http://evil.example", "http://localhost:3000", ""] {
            assert!(!with_origin(origin), "{origin}");
        }
    }

    #[test]
    fn pages_of_other_sites_are_not_answered() {
        let from = |site| admits("/", &[(header::HOST, "127.0.0.1:8080"), (SEC_FETCH_SITE, site)]);
        assert!(from("same-origin") && from("none"));
        for site in ["cross-site", "same-site", "CROSS-SITE", ""] {
            assert!(!from(site), "{site}");
        }
    }

    #[test]
    fn an_origin_is_a_scheme_a_host_and_a_port() {
        for bad in ["", "127.0.0.1:8080", "http://a/b", "http://a?b", "ftp://a", "http://u@a"] {
            assert!(Guard::new(bad).is_err(), "{bad}");
        }
    }
}
