//! The address of the client, behind trusted proxies the one that they name.

use std::net::{IpAddr, SocketAddr};

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
        let mut client = peer;
        for named in self.named(headers).into_iter().rev() {
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

    fn named(&self, headers: &HeaderMap) -> Vec<Option<IpAddr>> {
        let (header, read): (_, fn(&str) -> Option<IpAddr>) = match self.header {
            ForwardingHeader::XForwardedFor => (X_FORWARDED_FOR, address),
            ForwardingHeader::Forwarded => (FORWARDED, forwarded_for),
        };
        let values = headers.get_all(header).into_iter().map(|value| value.to_str().unwrap_or_default());
        values.flat_map(|value| value.split(',')).map(|word| read(word.trim())).collect()
    }
}

/// The address in the `for` parameter of one element of `Forwarded`.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.into_iter().find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    address(value.trim().trim_matches('"'))
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
        let headers = sent.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect();
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
}
