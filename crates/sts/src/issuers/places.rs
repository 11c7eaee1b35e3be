//! Lists of hosts and networks: which may be asked, and which not.

use std::{fmt, net::IpAddr, str::FromStr};

use domain::Network;

/// Hosts and networks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places(pub Vec<Place>);

/// A host, all hosts below a domain, or a block of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// `login.example`
    Host(String),
    /// `*.example`: every host below the domain, not the domain itself.
    Below(String),
    /// `10.0.0.0/8`
    Network(Network),
}

/// A text is no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAPlace(String);

impl Places {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them is this host, by its name.
    #[must_use]
    pub fn name(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        self.0.iter().any(|place| match place {
            Place::Host(name) => *name == host,
            Place::Below(domain) => host.strip_suffix(domain.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            Place::Network(_) => false,
        })
    }

    /// Whether the address lies in one of their networks.
    #[must_use]
    pub fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|place| matches!(place, Place::Network(network) if network.contains(address)))
    }
}

impl FromStr for Place {
    type Err = NotAPlace;

    fn from_str(text: &str) -> Result<Self, NotAPlace> {
        if let Ok(network) = text.parse() {
            return Ok(Self::Network(network));
        }
        let (below, name) = text.strip_prefix("*.").map_or((false, text), |domain| (true, domain));
        let is_label = |label: &str| {
            let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
            (1..=63).contains(&label.len()) && label.bytes().all(inner)
        };
        // What ends in a number is an address that is written wrong.
        let is_address = name.rsplit('.').next().is_some_and(|last| last.bytes().all(|b| b.is_ascii_digit()));
        if name.len() > 253 || is_address || !name.split('.').all(is_label) {
            return Err(NotAPlace(text.to_owned()));
        }
        let name = name.to_owned();
        Ok(if below { Self::Below(name) } else { Self::Host(name) })
    }
}

impl fmt::Display for NotAPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is neither a host such as login.example or *.example, in lower case, nor a network such as 10.0.0.0/8",
            self.0
        )
    }
}

impl std::error::Error for NotAPlace {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn places(texts: &[&str]) -> Places {
        Places(texts.iter().map(|text| text.parse().expect(text)).collect())
    }

    #[test]
    fn hosts_match_by_name_and_networks_by_address() {
        let places = places(&["login.example", "*.corp.example", "10.0.0.0/8"]);
        for host in ["login.example", "LOGIN.example.", "a.corp.example", "a.b.corp.example"] {
            assert!(places.name(host), "{host}");
        }
        for host in ["example", "a.login.example", "corp.example", "acorp.example", ".corp.example", "", "10.0.0.1"] {
            assert!(!places.name(host), "{host}");
        }
        assert!(places.contain([10, 1, 2, 3].into()) && !places.contain([11, 0, 0, 1].into()));
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for text in
            ["", "*", "*.", "a..b", "Login.example", "https://a.example", "a.example:443", "10.0.0.0/33", "10.0.0", "a/b", "*.*"]
        {
            assert!(text.parse::<Place>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn reading_and_matching_never_panic(text in "\\PC{0,30}|[a-z0-9*.:/-]{0,30}", host in "\\PC{0,30}") {
            if let Ok(place) = text.parse::<Place>() {
                let _ = Places(vec![place]).name(&host);
            }
        }
    }
}
