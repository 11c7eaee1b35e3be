//! Finding the identifier of a user.

use domain::{
    Ctx, Result, Uidp, Violations,
    iam::{Identity, identity::user_uid},
};

use super::Identities;
use crate::{resource, texts};

impl Identities {
    /// The identifier of the user that `issuer` calls `subject`, whether or not that user is registered.
    ///
    /// # Errors
    /// Unauthenticated without a caller; invalid argument when either is empty, too long or holds control characters,
    /// or when the issuer is no https URL (http for loopback).
    pub fn lookup(&self, ctx: &Ctx, issuer: &str, subject: &str) -> Result<Uidp> {
        ctx.caller()?;
        let mut violations = Violations::default();
        texts::required("issuer", issuer, texts::LONG, &mut violations);
        if !is_issuer(issuer) {
            violations.add("issuer", "issuer must be an https URL without query or fragment");
        }
        texts::required("subject", subject, texts::LONG, &mut violations);
        violations.check()?;
        Ok(user_uid(issuer, subject))
    }

    /// The user that `issuer` calls `subject`.
    ///
    /// # Errors
    /// As for [`Identities::lookup`]; not found when that user is not registered.
    pub async fn find(&self, ctx: &Ctx, issuer: &str, subject: &str) -> Result<Identity> {
        let uid = self.lookup(ctx, issuer, subject)?;
        let mut reader = self.store.reader().await?;
        resource::get(&mut reader, &uid).await
    }
}

/// Whether the text has the form of an issuer identifier: an https URL with a host and without user, query or fragment
/// (`OpenID` Connect Discovery 1.0 section 2), http for loopback hosts only.
fn is_issuer(text: &str) -> bool {
    let (rest, loopback_only) = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
        (Some(rest), _) => (rest, false),
        (None, Some(rest)) => (rest, true),
        (None, None) => return false,
    };
    if rest.contains(|c: char| matches!(c, '?' | '#' | '@' | '\\') || c.is_whitespace()) {
        return false;
    }
    let authority = rest.split_once('/').map_or(rest, |(authority, _)| authority);
    let (host, port) = match authority.strip_prefix('[') {
        // An IPv6 address (RFC 3986 section 3.2.2).
        Some(v6) => match v6.split_once(']') {
            Some((host, port)) if host.parse::<std::net::Ipv6Addr>().is_ok() => {
                (host, port.strip_prefix(':').or(port.is_empty().then_some("0")))
            }
            _ => return false,
        },
        None => authority.split_once(':').map_or((authority, Some("0")), |(host, port)| (host, Some(port))),
    };
    let has_port = port.is_some_and(|port| port.parse::<u16>().is_ok());
    let is_loopback = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    !host.is_empty() && has_port && (is_loopback || !loopback_only)
}

#[cfg(test)]
mod tests {
    use super::is_issuer;

    #[test]
    fn issuers_are_https_urls() {
        for (text, accepted) in [
            ("https://issuer.example", true),
            ("https://issuer.example:8443/tenant", true),
            ("https://[2001:db8::1]:1/x", true),
            ("https://[2001:db8::1]", true),
            ("http://127.0.0.1:8080/dev/idp", true),
            ("http://localhost:8080", true),
            ("http://[::1]:1", true),
            ("http://issuer.example", false),
            ("https://", false),
            ("https:///path", false),
            ("https://user@issuer.example", false),
            ("https://issuer.example?x=1", false),
            ("https://issuer.example#x", false),
            ("https://issuer.example:port", false),
            ("https://[zz]", false),
            ("https://[::1]x", false),
            ("ftp://issuer.example", false),
            ("issuer.example", false),
            ("", false),
        ] {
            assert_eq!(is_issuer(text), accepted, "{text}");
        }
    }
}
