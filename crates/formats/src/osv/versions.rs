//! Orders of versions, as ecosystems have them, by a library where there is one.

use std::{cmp::Ordering, str::FromStr as _};

/// Longest version that is compared, in bytes: some orders take longer than a line of text is worth.
const LONGEST: usize = 256;

/// The order of an ecosystem's versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Semantic Versioning 2.0.
    Semantic,
    /// PEP 440.
    Python,
    /// dpkg's.
    Debian,
    /// rpm's.
    Rpm,
    /// Nobody here knows it: two versions are the same, or they cannot be compared.
    Unknown,
}

impl Order {
    /// That of the ecosystem, whose release stands behind a colon.
    pub(crate) fn of(ecosystem: &str) -> Self {
        match ecosystem.split(':').next().unwrap_or_default() {
            "Go" | "npm" | "crates.io" | "Hex" | "Pub" | "SwiftURL" | "Julia" | "GitHub Actions" | "VSCode" | "Kubernetes" => {
                Self::Semantic
            }
            "PyPI" => Self::Python,
            "Debian" | "Ubuntu" | "Echo" => Self::Debian,
            "AlmaLinux" | "Mageia" | "Photon OS" | "Red Hat" | "Rocky Linux" | "SUSE" | "openEuler" | "openSUSE" => Self::Rpm,
            _ => Self::Unknown,
        }
    }

    /// How the versions stand to each other; `None` where that is not known.
    pub(crate) fn compare(self, one: &str, other: &str) -> Option<Ordering> {
        if one == other {
            return Some(Ordering::Equal);
        }
        if one.len() > LONGEST || other.len() > LONGEST || !one.is_ascii() || !other.is_ascii() {
            return None;
        }
        match self {
            Self::Semantic => {
                let (one, other) = (semantic(one)?, semantic(other)?);
                // Section 10: what stands behind a plus counts for nothing.
                Some(one.cmp_precedence(&other))
            }
            Self::Python => {
                let read = |text| pep440_rs::Version::from_str(text).ok();
                Some(read(one)?.cmp(&read(other)?))
            }
            Self::Debian => Some(deb_version::compare_versions(one, other)),
            Self::Rpm => Some(rpm_version::rpm_evr_compare(one, other)),
            Self::Unknown => None,
        }
    }
}

/// A version of this kind, as ecosystems write it: with a `v` or `go` in front, and with less than three numbers.
fn semantic(text: &str) -> Option<semver::Version> {
    let text = text.strip_prefix("go").or_else(|| text.strip_prefix('v')).unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at_checked(end)?;
    let mut three = [0_u64; 3];
    let mut parts = numbers.split('.');
    for number in &mut three {
        *number = parts.next().map_or(Some(0), |part| part.parse().ok())?;
    }
    if numbers.is_empty() || parts.next().is_some() {
        return None;
    }
    let [major, minor, patch] = three;
    semver::Version::parse(&format!("{major}.{minor}.{patch}{rest}")).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted(order: Order, versions: &[&str]) {
        for (index, one) in versions.iter().enumerate() {
            for (at, other) in versions.iter().enumerate() {
                assert_eq!(order.compare(one, other), Some(index.cmp(&at)), "{one} {other}");
            }
        }
    }

    #[test]
    fn each_ecosystem_has_its_order() {
        sorted(Order::Semantic, &["0", "v0.9", "1.0.0-rc.1", "1.0.0-rc.2", "1.0", "1.0.1", "1.2", "1.10.0", "go1.20.1"]);
        sorted(Order::Python, &["0", "1.0.dev1", "1.0a1", "1.0rc1", "1.0", "1.0.post1", "1.10", "1!0.1"]);
        sorted(Order::Debian, &["0", "1.0~rc1-1", "1.0-1", "1.0-1+deb11u1", "1.0-2", "1.10-1", "1:0.1-1"]);
        sorted(Order::Rpm, &["0", "1.0~rc1-1", "1.0-1.el9", "1.0-2.el9", "1.10-1.el9", "1:0.1-1"]);
        assert_eq!(Order::of("Debian:12"), Order::Debian);
    }

    #[test]
    fn what_is_not_known_is_not_guessed() {
        for (order, one, other) in [
            (Order::Unknown, "1.0", "2.0"),
            (Order::Semantic, "1.0.0.0", "2"),
            (Order::Semantic, "latest", "2"),
            (Order::Semantic, "99999999999999999999", "2"),
            (Order::Python, "x y", "2"),
            (Order::Debian, "1.é", "2"),
        ] {
            assert_eq!(order.compare(one, other), None, "{one}");
        }
        assert_eq!(Order::Unknown.compare("1.0", "1.0"), Some(Ordering::Equal));
        assert_eq!(Order::Semantic.compare("v1.0.0+a", "1.0.0+b"), Some(Ordering::Equal));
    }

    proptest! {
        #[test]
        fn comparing_never_panics_and_has_two_sides(one in "[0-9a-z.:~+^!_-]{0,20}|\\PC{0,20}", other in "[0-9a-z.:~+^!_-]{0,20}|\\PC{0,20}") {
            for order in [Order::Semantic, Order::Python, Order::Debian, Order::Rpm, Order::Unknown] {
                let there = order.compare(&one, &other);
                prop_assert_eq!(there.map(Ordering::reverse), order.compare(&other, &one), "{:?}", order);
            }
        }
    }
}
