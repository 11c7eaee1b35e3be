//! The address of the client, behind trusted proxies the one that they name.

use std::{
    iter,
    net::{IpAddr, SocketAddr},
};

use domain::Network;
use http::{HeaderMap, HeaderName, header::FORWARDED};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Whose word about the client's address counts, and where they say it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies {
    /// The addresses of the proxies. Empty: nobody's word counts.
    pub networks: Vec<Network>,
    /// The header that these proxies write. Only this one is read: a proxy passes the other on as the client sent it.
    pub header: ForwardingHeader,
}

/// The header in which proxies name the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForwardingHeader {
    /// `X-Forwarded-For: client, proxy, …`
    #[default]
    XForwardedFor,
    /// `Forwarded: for=client, for=proxy, …` (RFC 7239)
    Forwarded,
}

impl TrustedProxies {
    /// The client of a request that arrived from `peer`: the last named address that is not itself a trusted proxy.
    #[must_use]
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let peer = peer.to_canonical();
        if !self.trusts(peer) {
            return peer;
        }
        let values = headers.get_all(self.header.name()).into_iter().rev();
        let mut client = peer;
        for named in values.flat_map(|value| self.header.named(value.as_bytes())) {
            // Beyond a word that is no address nothing can be trusted.
            let Some(address) = named else { return client };
            client = address;
            if !self.trusts(address) {
                break;
            }
        }
        client
    }

    /// Whether this is the address of a trusted proxy.
    pub(crate) fn trusts(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.networks.iter().any(|network| network.contains(peer))
    }
}

impl ForwardingHeader {
    fn name(self) -> HeaderName {
        match self {
            Self::XForwardedFor => X_FORWARDED_FOR,
            Self::Forwarded => FORWARDED,
        }
    }

    /// Whom a value names, the last one first; `None` for what is no address. Whoever is behind a proxy writes what is left of its words,
    /// and cannot change how these are read.
    fn named(self, value: &[u8]) -> impl Iterator<Item = Option<IpAddr>> {
        from_the_right(value, b',').map(move |element| match self {
            Self::XForwardedFor => address(str::from_utf8(element).ok()?),
            Self::Forwarded => forwarded_for(element),
        })
    }
}

/// The parts of a value between separators, the last one first, without the white space around them. Separators in quoted strings
/// (RFC 9110 section 5.6.4) separate nothing. A quote that somebody has left open takes in what is left of it, not what was added to
/// its right.
fn from_the_right(value: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(value);
    iter::from_fn(move || {
        let value = rest?;
        let mut is_quoted = false;
        let separates = |at: usize, byte: u8| {
            // In a quoted string, a quote behind an odd number of backslashes is one of its letters.
            let backslashes = || value.iter().take(at).rev().take_while(|byte| **byte == b'\\').count();
            is_quoted ^= byte == b'"' && (!is_quoted || backslashes() % 2 == 0);
            byte == separator && !is_quoted
        };
        let end = last_position(value, separates);
        rest = end.and_then(|at| value.get(..at));
        end.map_or(Some(value), |at| value.get(at + 1..)).map(<[u8]>::trim_ascii)
    })
}

/// Where the last byte is that `is_it`, which is asked about each byte once, from the right.
fn last_position(value: &[u8], mut is_it: impl FnMut(usize, u8) -> bool) -> Option<usize> {
    (0..value.len()).zip(value).rev().find(|(at, byte)| is_it(*at, **byte)).map(|(at, _)| at)
}

/// The address in the `for` parameter of one element of `Forwarded` (RFC 7239 section 4), which must have one of those.
fn forwarded_for(element: &[u8]) -> Option<IpAddr> {
    let pairs = from_the_right(element, b';').filter_map(|pair| str::from_utf8(pair).ok()?.split_once('='));
    let mut named = pairs.filter(|(name, _)| name.trim_end().eq_ignore_ascii_case("for"));
    let (Some((_, value)), None) = (named.next(), named.next()) else { return None };
    let value = value.trim_start();
    match value.strip_prefix('"') {
        Some(quoted) => address(&unquoted(quoted)?),
        None => address(value),
    }
}

/// What a quoted string stands for, without its opening quote; `None` where it does not end at its end.
fn unquoted(quoted: &str) -> Option<String> {
    let (mut text, mut letters) = (String::with_capacity(quoted.len()), quoted.chars());
    loop {
        match letters.next()? {
            '"' => return letters.next().is_none().then_some(text),
            '\\' => text.push(letters.next()?),
            letter => text.push(letter),
        }
    }
}

/// An address with or without a port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:80`.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().or_else(|_| text.parse::<SocketAddr>().map(|address| address.ip())).ok()?;
    Some(IpAddr::to_canonical(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(header: ForwardingHeader, peer: &str, sent: &[(&'static str, &str)]) -> String {
        let networks = ["10.0.0.0/8", "::1"].iter().map(|text| text.parse().unwrap()).collect();
        let value = |text: &str| http::HeaderValue::from_bytes(text.as_bytes()).unwrap();
        let headers = sent.iter().map(|(name, text)| (HeaderName::from_static(name), value(text))).collect();
        TrustedProxies { networks, header }.client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let xff = |peer, value: &str| client(ForwardingHeader::XForwardedFor, peer, &[("x-forwarded-for", value)]);
        assert_eq!(xff("192.0.2.9", "203.0.113.1"), "192.0.2.9");
        assert_eq!(xff("10.0.0.1", "203.0.113.1"), "203.0.113.1");
        assert_eq!(xff("10.0.0.1", "198.51.100.7, 203.0.113.1, 10.0.0.2"), "203.0.113.1");
        assert_eq!(xff("10.0.0.1", "203.0.113.1:4711"), "203.0.113.1");
        assert_eq!(xff("10.0.0.1", "203.0.113.1, junk, 10.0.0.2"), "10.0.0.2");
        assert_eq!(xff("10.0.0.1", ""), "10.0.0.1");
        assert_eq!(xff("::1", "2001:db8::1"), "2001:db8::1");
        assert_eq!(TrustedProxies::default().client("10.0.0.1".parse().unwrap(), &HeaderMap::new()).to_string(), "10.0.0.1");
    }

    #[test]
    fn only_the_chosen_header_is_read() {
        let both = [("x-forwarded-for", "203.0.113.1"), ("forwarded", "for=198.51.100.7;proto=https, For=\"[2001:db8::1]:80\"")];
        assert_eq!(client(ForwardingHeader::XForwardedFor, "10.0.0.1", &both), "203.0.113.1");
        assert_eq!(client(ForwardingHeader::Forwarded, "10.0.0.1", &both), "2001:db8::1");
        assert_eq!(client(ForwardingHeader::Forwarded, "10.0.0.1", &[("forwarded", "for=_hidden")]), "10.0.0.1");
    }

    #[test]
    fn forwarded_is_read_by_its_grammar() {
        let forwarded = |value: &str| client(ForwardingHeader::Forwarded, "10.0.0.1", &[("forwarded", value)]);
        for (value, expected) in [
            ("for=203.0.113.1", "203.0.113.1"),
            (r#"for="203.0.113.1:4711""#, "203.0.113.1"),
            (r#"proto=https; for="[2001:db8::1]:80" ;by=10.0.0.1"#, "2001:db8::1"),
            (r#"for="\2\03.0.113.1""#, "203.0.113.1"),
            // Separators in a quoted string are its letters.
            (r#"host="a;for=198.51.100.7,b";for=203.0.113.1"#, "203.0.113.1"),
            (r#"for=203.0.113.1;host="for=198.51.100.7;\"; for=198.51.100.8""#, "203.0.113.1"),
            ("for=198.51.100.7, for=203.0.113.1,for=10.0.0.2", "203.0.113.1"),
            // What is no address, or is said twice, names nobody.
            (r#"for="203.0.113.1"#, "10.0.0.1"),
            (r#"for="203.0.113.1"x"#, "10.0.0.1"),
            ("for=203.0.113.1;for=198.51.100.7", "10.0.0.1"),
            ("for=unknown", "10.0.0.1"),
            ("by=203.0.113.1", "10.0.0.1"),
            ("for", "10.0.0.1"),
        ] {
            assert_eq!(forwarded(value), expected, "{value}");
        }
        let twice = [("forwarded", "for=198.51.100.7"), ("forwarded", "for=203.0.113.1")];
        assert_eq!(client(ForwardingHeader::Forwarded, "10.0.0.1", &twice), "203.0.113.1");
    }

    #[test]
    fn what_a_client_writes_does_not_hide_it_behind_its_proxy() {
        for garbage in ["\u{e9}", "junk", "\"", r#"for="a"#, r#"for="\"#, r"\", ";;", "=", ",,"] {
            let sent = format!("{garbage}, 203.0.113.1");
            assert_eq!(
                client(ForwardingHeader::XForwardedFor, "10.0.0.1", &[("x-forwarded-for", &sent)]),
                "203.0.113.1",
                "{sent}"
            );
            let sent = format!("{garbage}, for=203.0.113.1");
            assert_eq!(client(ForwardingHeader::Forwarded, "10.0.0.1", &[("forwarded", &sent)]), "203.0.113.1", "{sent}");
        }
    }

    proptest::proptest! {
        #[test]
        fn the_word_of_a_proxy_counts_whatever_is_left_of_it(garbage: Vec<u8>, quoted: bool) {
            let own = if quoted { "for=\"203.0.113.1:80\";by=\"a,b;\\\"\"" } else { "for=203.0.113.1" };
            let value = [garbage.as_slice(), b", ", own.as_bytes()].concat();
            proptest::prop_assert_eq!(ForwardingHeader::Forwarded.named(&value).next(), Some("203.0.113.1".parse().ok()));
        }
    }
}
