//! What a URL that the server is to call may look like: an issuer's, and others that callers name.

use domain::ports::CheckUrl;
use url::{Host, Url};

use super::text;

/// Which URLs may be called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UrlPolicy {
    /// Accept http on loopback names and addresses.
    pub allow_loopback_http: bool,
}

impl UrlPolicy {
    /// Judges an issuer (OpenID Connect Core 1.0 section 2: https, no query, no fragment).
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn issuer(self, text: &str) -> Result<Url, String> {
        let url = self.fetchable(text)?;
        if url.query().is_some() {
            return Err("must not have a query".to_owned());
        }
        Ok(url)
    }

    /// Judges a URL that an issuer names for its keys, or a caller for what it is to be told.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn fetchable(self, text: &str) -> Result<Url, String> {
        text::literal(text)?;
        if text.contains(|c: char| c == '\\' || c.is_whitespace()) {
            return Err("must be a URL without spaces and backslashes".to_owned());
        }
        let url = Url::parse(text).map_err(|error| format!("must be an https URL: {error}"))?;
        let is_plain = url.scheme() == "http" && text.starts_with("http://");
        match url.scheme() {
            "https" if text.starts_with("https://") => {}
            "http" if is_plain && self.allow_loopback_http && is_loopback(&url) => {}
            "http" if is_plain && self.allow_loopback_http => {
                return Err("must be an https URL (http is for loopback addresses alone)".to_owned());
            }
            _ => return Err("must be an https URL".to_owned()),
        }
        // The raw text counts as well: `https://@host` has an empty user, which the parsed form no longer shows.
        let authority = text.split_once("://").map_or(text, |(_, rest)| rest).split(['/', '?', '#']).next().unwrap_or_default();
        if !url.username().is_empty() || url.password().is_some() || authority.contains('@') {
            return Err("must not name a user".to_owned());
        }
        if url.fragment().is_some() {
            return Err("must not have a fragment".to_owned());
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err("must name a host".to_owned());
        }
        Ok(url)
    }
}

impl CheckUrl for UrlPolicy {
    fn check_url(&self, url: &str) -> Result<(), String> {
        self.fetchable(url).map(drop)
    }
}

/// Whether the URL names this machine by a loopback address or a name reserved for it (RFC 6761 section 6.3).
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => is_localhost(name),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Whether the name is `localhost` or below it.
pub(crate) fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: UrlPolicy = UrlPolicy { allow_loopback_http: false };
    const DEV: UrlPolicy = UrlPolicy { allow_loopback_http: true };

    #[test]
    fn issuers_are_plain_https_urls() {
        for good in [
            "https://a.example",
            "https://a.example/",
            "https://a.example:8443/realms/x",
            "https://10.0.0.1",
            "https://[2001:db8::1]",
        ] {
            assert!(STRICT.issuer(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "a.example",
            "http://a.example",
            "ftp://a.example",
            "https://",
            "https://u@a.example",
            "https://u:p@a.example",
            "https://@a.example",
            "https://a.example?x",
            "https://a.example/?",
            "https://a.example#x",
            "https://a.example/#",
            "https:/a.example",
            "https:a.example",
            "HTTPS://a.example",
            "https:\\\\a.example",
            "https://a.example\\@b",
            "https://a example",
            " https://a.example",
            "https://a.example\n",
            "http://localhost:8080",
            "https://a.example/\u{7f}",
            "javascript:x",
            "https://a..b%",
        ] {
            assert!(STRICT.issuer(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn what_is_called_may_have_a_query() {
        for good in ["https://a.example/hook?key=1&b=%20", "https://a.example:8443", "https://10.0.0.1/"] {
            assert_eq!(STRICT.check_url(good), Ok(()), "{good}");
        }
        let long = format!("https://a.example/{}", "a".repeat(1024));
        for (bad, why) in [
            ("/hook", "must be an https URL: relative URL without a base"),
            ("http://a.example", "must be an https URL"),
            ("https://u:p@a.example", "must not name a user"),
            ("https://a.example/#x", "must not have a fragment"),
            (&long, "must be at most 1024 bytes"),
        ] {
            assert_eq!(STRICT.check_url(bad), Err(why.to_owned()), "{bad}");
        }
    }

    #[test]
    fn loopback_http_is_for_dev_mode() {
        for good in ["http://localhost:8080", "http://127.0.0.1:1/dev/idp", "http://[::1]:1", "http://auth.localhost"] {
            assert!(DEV.issuer(good).is_ok() && STRICT.issuer(good).is_err(), "{good}");
        }
        for bad in
            ["http://a.example", "http://10.0.0.1", "http://localhost.example", "http://0.0.0.0", "http://127.0.0.1@evil.com"]
        {
            assert!(DEV.issuer(bad).is_err(), "{bad}");
        }
    }
}
