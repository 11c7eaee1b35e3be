//! Which addresses may be connected to: names are resolved here, so that the address that was judged is the one that is used.

use std::{
    fmt, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::places::Places;
use crate::claims::is_localhost;

/// Which addresses may be connected to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressPolicy {
    /// Private networks, this machine and shared address space too.
    pub allow_private: bool,
    /// Loopback addresses, for hosts that are named as such.
    pub allow_loopback: bool,
}

/// Turns host names into addresses. Tests put their own in.
pub trait Resolver: Send + Sync + fmt::Debug {
    /// The addresses of `host`.
    fn resolve(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// Asks the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

/// Every address of a host is one that may not be connected to: these.
#[derive(Debug)]
pub(super) struct Refused(Vec<IpAddr>);

/// Resolves and lets only the allowed addresses through.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    pub(super) resolver: Arc<dyn Resolver>,
    pub(super) rules: Arc<Rules>,
}

/// Whom requests may go to.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    pub(super) policy: AddressPolicy,
    /// If there are any, nobody else. A network here admits private addresses as well.
    pub(super) allow: Places,
    /// Nobody here.
    pub(super) deny: Places,
}

impl Resolver for SystemResolver {
    fn resolve(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect()) })
    }
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let Self { resolver, rules } = self.clone();
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found = resolver.resolve(host.clone()).await?;
            let (allowed, refused): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|address| rules.allow(&host, *address, is_localhost(&host)));
            if allowed.is_empty() {
                return Err(Refused(refused).into());
            }
            let addresses: Addrs = Box::new(allowed.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

impl Rules {
    /// Whether `address` of `host` may be connected to; `is_loopback_name` says that the URL names this machine.
    pub(super) fn allow(&self, host: &str, address: IpAddr, is_loopback_name: bool) -> bool {
        let is_denied = self.deny.contain(address) || carried(address).is_some_and(|carried| self.deny.contain(carried.into()));
        if self.deny.name(host) || is_denied || class(address) == Class::Never {
            return false;
        }
        let is_ours = self.policy.allow_loopback && is_loopback_name && class(address) == Class::Loopback;
        let is_named = is_ours || self.allow.is_empty() || self.allow.name(host);
        self.allow.contain(address) || is_named && self.policy.allows(address, is_loopback_name)
    }
}

impl AddressPolicy {
    /// Whether `address` may be connected to; `is_loopback_name` says that the URL names this machine.
    #[must_use]
    pub fn allows(self, address: IpAddr, is_loopback_name: bool) -> bool {
        match class(address) {
            Class::Public => true,
            Class::Private => self.allow_private,
            Class::Loopback => self.allow_private || (self.allow_loopback && is_loopback_name),
            Class::Never => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Reachable from everywhere.
    Public,
    /// Reachable from inside a network alone.
    Private,
    /// This machine.
    Loopback,
    /// Nothing that an issuer can have: link-local (where clouds keep their metadata), multicast, reserved.
    Never,
}

fn class(address: IpAddr) -> Class {
    match address {
        IpAddr::V4(address) => class_v4(address),
        IpAddr::V6(address) => class_v6(address),
    }
}

/// The special-purpose registry of IPv4 (RFC 6890 and its updates).
fn class_v4(address: Ipv4Addr) -> Class {
    match address.octets() {
        [127, ..] => Class::Loopback,
        // A cloud's metadata service within the shared address space.
        [100, 100, 100, 200] => Class::Never,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] => Class::Private,
        [0 | 224..=255, ..] | [169, 254, ..] | [192, 0, 0 | 2, _] | [198, 18 | 19, ..] | [198, 51, 100, _] | [203, 0, 113, _] => {
            Class::Never
        }
        _ => Class::Public,
    }
}

/// A cloud's metadata service within the unique local addresses.
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

/// The IPv4 address that the IPv6 address carries.
fn carried(address: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(address) = address else { return None };
    match address.segments() {
        // Mapped (RFC 4291 section 2.5.5.2), translated (RFC 6052 section 2.1), 6to4 (RFC 3056).
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
        }
        _ => None,
    }
}

/// The special-purpose registry of IPv6. Forms that carry an IPv4 address count as that address.
fn class_v6(address: Ipv6Addr) -> Class {
    if let Some(carried) = carried(address.into()) {
        return class_v4(carried);
    }
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] => Class::Loopback,
        [0xfc00..=0xfdff, ..] if address != METADATA_V6 => Class::Private,
        [0x2001, 0xdb8 | 0..=0x1ff, ..] | [0x3fff, ..] => Class::Never,
        [0x2000..=0x3fff, ..] => Class::Public,
        _ => Class::Never,
    }
}

impl Refused {
    /// The addresses, with commas between.
    pub(super) fn addresses(&self) -> String {
        self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the host has no address that may be connected to")
    }
}

impl std::error::Error for Refused {}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(policy: AddressPolicy, address: &str, is_loopback_name: bool) -> bool {
        policy.allows(address.parse().expect(address), is_loopback_name)
    }

    #[test]
    fn only_public_addresses_are_connected_to() {
        let strict = AddressPolicy::default();
        let public =
            "1.1.1.1 9.255.0.1 172.15.0.1 172.32.0.1 100.63.0.1 100.128.0.1 2606:4700::1 64:ff9b::101:101 ::ffff:1.1.1.1";
        for address in public.split(' ') {
            assert!(allows(strict, address, false), "{address}");
        }
        let others = "127.0.0.1 127.9.9.9 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.100.100.200 \
                      0.0.0.0 0.1.2.3 224.0.0.1 240.0.0.1 255.255.255.255 192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 \
                      :: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::7f00:1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe \
                      64:ff9b:1::1 2002:7f00:1:: 2002:a00:1::1 fe80::1 fec0::1 fc00::1 fd00::1 fd00:ec2::254 ff02::1 2001:db8::1 \
                      2001::1 100::1 3fff::1";
        for address in others.split_whitespace() {
            assert!(!allows(strict, address, true), "{address}");
        }
    }

    #[test]
    fn private_networks_can_be_allowed_but_not_metadata() {
        let private = AddressPolicy { allow_private: true, allow_loopback: false };
        for address in ["10.0.0.1", "192.168.1.1", "100.64.0.1", "fd00::1", "127.0.0.1", "::ffff:10.0.0.1"] {
            assert!(allows(private, address, false), "{address}");
        }
        for address in
            ["169.254.169.254", "fd00:ec2::254", "100.100.100.200", "fe80::1", "224.0.0.1", "0.0.0.0", "::ffff:169.254.169.254"]
        {
            assert!(!allows(private, address, true), "{address}");
        }
    }

    #[test]
    fn lists_narrow_and_widen() {
        let places = |texts: &[&str]| Places(texts.iter().map(|text| text.parse().expect(text)).collect());
        let rules = |allow: &[&str], deny: &[&str]| Rules { allow: places(allow), deny: places(deny), ..Rules::default() };
        let allows = |rules: &Rules, host: &str, address: &str| rules.allow(host, address.parse().expect(address), false);
        let open = rules(&[], &["evil.example", "1.1.1.0/24"]);
        assert!(allows(&open, "a.example", "1.0.0.1") && !allows(&open, "a.example", "1.1.1.1"));
        assert!(!allows(&open, "evil.example", "1.0.0.1"));
        for carries in ["::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::1"] {
            assert!(!allows(&open, "a.example", carries), "{carries} is 1.1.1.1");
        }
        let narrow = rules(&["*.corp.example", "10.1.0.0/16", "169.254.0.0/16"], &["10.1.9.0/24"]);
        assert!(allows(&narrow, "a.corp.example", "1.0.0.1") && !allows(&narrow, "other.example", "1.0.0.1"));
        assert!(!allows(&narrow, "a.corp.example", "10.9.0.1"), "a name alone admits no private address");
        assert!(allows(&narrow, "other.example", "10.1.0.1") && allows(&narrow, "10.1.0.1", "10.1.0.1"));
        assert!(!allows(&narrow, "other.example", "10.1.9.1"), "what is denied stays so");
        assert!(!allows(&narrow, "other.example", "169.254.169.254"), "metadata is never asked");
        let dev = Rules { policy: AddressPolicy { allow_private: false, allow_loopback: true }, ..narrow };
        assert!(dev.allow("localhost", [127, 0, 0, 1].into(), true));
    }

    #[test]
    fn loopback_is_for_hosts_that_say_so() {
        let dev = AddressPolicy { allow_private: false, allow_loopback: true };
        assert!(allows(dev, "127.0.0.1", true) && !allows(dev, "127.0.0.1", false) && !allows(dev, "10.0.0.1", true));
    }
}
