//! Whether a record says that a version of a package is affected, by the schema's section "Evaluation".

use std::cmp::Ordering;

use serde::Deserialize;

use crate::package_url::PackageUrl;

use super::{
    ecosystems,
    read::{Affected, Range, RangeEvent},
    versions::Order,
};

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// The name of the package, as its ecosystem writes it.
    pub name: String,
    /// The ecosystem, whose release may stand behind a colon; `None` for any.
    pub ecosystem: Option<String>,
    /// The version; `None` for any.
    pub version: Option<String>,
    /// The commit, instead of a version.
    pub commit: Option<String>,
}

/// What lists have of a record, and whether it is about what is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its id.
    pub id: String,
    /// When it was changed, as it says.
    pub modified: String,
    /// Whether what is looked for is affected.
    pub is_affected: bool,
}

#[derive(Deserialize)]
struct Record {
    id: String,
    modified: String,
    withdrawn: Option<String>,
    affected: Option<Vec<Affected>>,
}

impl Looked {
    /// The package that a package URL names, with its version; `None` for what is none, and for packages of no ecosystem that is known.
    #[must_use]
    pub fn of_purl(text: &str) -> Option<Self> {
        let PackageUrl { kind, name, version, .. } = PackageUrl::parse(text)?;
        let (space, last) = name.rsplit_once('/').unwrap_or(("", &name));
        let (ecosystem, name) = match (kind.as_str(), space) {
            ("maven", _) => ("Maven", format!("{space}:{last}")),
            ("deb", "debian") => ("Debian", last.to_owned()),
            ("deb", "ubuntu") => ("Ubuntu", last.to_owned()),
            ("apk", "alpine") => ("Alpine", last.to_owned()),
            ("apk", "wolfi") => ("Wolfi", last.to_owned()),
            ("apk", "chainguard") => ("Chainguard", last.to_owned()),
            ("rpm", "redhat") => ("Red Hat", last.to_owned()),
            ("rpm", "almalinux") => ("AlmaLinux", last.to_owned()),
            ("rpm", "rocky-linux") => ("Rocky Linux", last.to_owned()),
            ("rpm", "suse") => ("SUSE", last.to_owned()),
            ("rpm", "opensuse") => ("openSUSE", last.to_owned()),
            (kind, _) => (ecosystems::of(kind)?, name.clone()),
        };
        Some(Self { name, ecosystem: Some(ecosystem.to_owned()), version, commit: None })
    }

    /// Looks at a record. What was withdrawn affects nothing; `None` for what is no record.
    #[must_use]
    pub fn in_record(&self, record: &[u8]) -> Option<Seen> {
        let Record { id, modified, withdrawn, affected } = serde_json::from_slice(record).ok()?;
        let is_affected = withdrawn.is_none() && affected.unwrap_or_default().iter().any(|affected| self.is_met_by(affected));
        Some(Seen { id, modified, is_affected })
    }

    fn is_met_by(&self, affected: &Affected) -> bool {
        let Some(package) = &affected.package else { return false };
        let is_ecosystem = self.ecosystem.as_ref().is_none_or(|wanted| {
            // Who names no release means all of them.
            package.ecosystem == *wanted || package.ecosystem.split_once(':').is_some_and(|(name, _)| name == wanted)
        });
        if !is_ecosystem || normal(&package.ecosystem, &package.name) != normal(&package.ecosystem, &self.name) {
            return false;
        }
        let ranges = affected.ranges.as_deref().unwrap_or_default();
        let is_git = |range: &&Range| range.r#type == "GIT";
        if let Some(commit) = &self.commit {
            return ranges.iter().filter(is_git).any(|range| {
                let is = |named: fn(&RangeEvent) -> &Option<String>| {
                    range.events.iter().any(|event| named(event).as_ref() == Some(commit))
                };
                is(|event| &event.introduced) || is(|event| &event.last_affected)
            });
        }
        let Some(version) = &self.version else { return true };
        let listed = affected.versions.as_deref().unwrap_or_default();
        if listed.iter().any(|listed| listed == version || plain(listed) == plain(version)) {
            return true;
        }
        ranges.iter().filter(|range| !is_git(range)).any(|range| {
            let order = if range.r#type == "SEMVER" { Order::Semantic } else { Order::of(&package.ecosystem) };
            includes(range, order, version)
        })
    }
}

/// A version as it stands in lists of modules: with or without a `v`.
fn plain(version: &str) -> &str {
    version.strip_prefix('v').unwrap_or(version)
}

/// A name as its ecosystem compares it.
fn normal(ecosystem: &str, name: &str) -> String {
    match ecosystem {
        // https://packaging.python.org/en/latest/specifications/name-normalization/
        "PyPI" => {
            let words: Vec<_> = name.split(['-', '_', '.']).filter(|word| !word.is_empty()).collect();
            words.join("-").to_lowercase()
        }
        "NuGet" => name.to_lowercase(),
        _ => name.to_owned(),
    }
}

/// Names by which a package may be kept whose name is this one.
#[must_use]
pub fn spellings(name: &str) -> Vec<String> {
    let mut all = vec![name.to_owned()];
    for other in [normal("PyPI", name), name.to_lowercase()] {
        if !other.is_empty() && !all.contains(&other) {
            all.push(other);
        }
    }
    all
}

/// Whether the range has the version. What cannot be compared is in it only where there is nothing to compare.
fn includes(range: &Range, order: Order, version: &str) -> bool {
    let mut events: Vec<_> = range.events.iter().filter_map(Turn::of).collect();
    let limits: Vec<_> = range.events.iter().filter_map(|event| event.limit.as_deref()).collect();
    let is_below = |limit: &&str| *limit == "*" || order.compare(version, limit) == Some(Ordering::Less);
    if !limits.is_empty() && !limits.iter().any(is_below) {
        return false;
    }
    if order == Order::Unknown {
        return is_in_unknown(&events, version);
    }
    // The versions of a range do not depend on the order in which they are written.
    let mut is_comparable = true;
    events.sort_by(|one, other| {
        let found = one.compare(other, order);
        is_comparable &= found.is_some();
        found.unwrap_or(Ordering::Equal)
    });
    let mut is_in = false;
    for event in &events {
        let Some(from_here) = event.reaches(version, order) else { return is_in_unknown(&events, version) };
        if from_here {
            is_in = event.is_introduced;
        }
    }
    is_in && (is_comparable || is_in_unknown(&events, version))
}

/// Whether the range says that of the version without comparing: it is where it begins or the last one, or all versions are in it.
fn is_in_unknown(events: &[Turn<'_>], version: &str) -> bool {
    let is_everything = events.iter().all(|event| event.is_introduced) && events.iter().any(|event| event.version == "0");
    is_everything || events.iter().any(|event| event.version == version && (event.is_introduced || event.is_last))
}

/// Where a range begins or ends.
#[derive(Debug)]
struct Turn<'e> {
    version: &'e str,
    is_introduced: bool,
    /// Whether the version itself still is in the range that ends with it.
    is_last: bool,
}

impl<'e> Turn<'e> {
    fn of(event: &'e RangeEvent) -> Option<Self> {
        let turn = |version: &'e str, is_introduced, is_last| Self { version, is_introduced, is_last };
        match event {
            RangeEvent { introduced: Some(version), .. } => Some(turn(version, true, false)),
            RangeEvent { fixed: Some(version), .. } => Some(turn(version, false, false)),
            RangeEvent { last_affected: Some(version), .. } => Some(turn(version, false, true)),
            RangeEvent { .. } => None,
        }
    }

    fn compare(&self, other: &Self, order: Order) -> Option<Ordering> {
        let versions = match (self.is_first(), other.is_first()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => order.compare(self.version, other.version)?,
        };
        // At one version, what ends there comes first, and what ends behind it last.
        let rank = |turn: &Self| (turn.is_last, turn.is_introduced);
        Some(versions.then_with(|| rank(self).cmp(&rank(other))))
    }

    /// Whether it stands for before everything.
    fn is_first(&self) -> bool {
        self.is_introduced && self.version == "0"
    }

    /// Whether what it says holds for the version.
    fn reaches(&self, version: &str, order: Order) -> Option<bool> {
        if self.is_first() {
            return Some(true);
        }
        let found = order.compare(version, self.version)?;
        Some(if self.is_last { found == Ordering::Greater } else { found != Ordering::Less })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn record(ecosystem: &str, kind: &str, events: &Value, versions: &[&str]) -> Vec<u8> {
        let package = json!({ "ecosystem": ecosystem, "name": "a" });
        let affected =
            json!({ "package": package, "ranges": [{ "type": kind, "repo": "r", "events": events }], "versions": versions });
        json!({ "id": "X-1", "modified": "2024-01-01T00:00:00Z", "affected": [affected] }).to_string().into_bytes()
    }

    fn found(record: &[u8], versions: &[&str]) -> Vec<bool> {
        let look = |version: &&str| {
            let looked = Looked { name: "a".into(), version: Some((*version).to_owned()), ..Looked::default() };
            looked.in_record(record).unwrap().is_affected
        };
        versions.iter().map(look).collect()
    }

    #[test]
    fn ranges_begin_and_end() {
        let events = json!([{ "fixed": "1.5.0" }, { "introduced": "0" }, { "introduced": "2.0.0" }, { "fixed": "2.0.3" }]);
        let semver = record("Go", "SEMVER", &events, &[]);
        let versions = ["0.0.1", "v1.4.9", "1.5.0", "1.9.9", "2.0.0", "2.0.2", "2.0.3", "3.0.0", "1.5.0-rc.1"];
        assert_eq!(found(&semver, &versions), [true, true, false, false, true, true, false, false, true]);
        let last = record("PyPI", "ECOSYSTEM", &json!([{ "introduced": "1.0" }, { "last_affected": "1.2" }]), &[]);
        assert_eq!(found(&last, &["0.9", "1.0", "1.2", "1.2.post1", "1.2.0"]), [false, true, true, false, true]);
        let limited = record("Go", "SEMVER", &json!([{ "introduced": "0" }, { "limit": "1.1.0" }]), &[]);
        assert_eq!(found(&limited, &["1.0.0", "1.1.0"]), [true, false]);
        let one = record("Go", "SEMVER", &json!([{ "introduced": "1.0.0" }, { "last_affected": "1.0.0" }]), &[]);
        assert_eq!(found(&one, &["0.9.0", "1.0.0", "1.0.1"]), [false, true, false]);
    }

    #[test]
    fn what_nobody_can_order_is_compared_as_it_is() {
        let open = record("Maven", "ECOSYSTEM", &json!([{ "introduced": "0" }]), &[]);
        assert_eq!(found(&open, &["1.0"]), [true]);
        let fixed = record("Maven", "ECOSYSTEM", &json!([{ "introduced": "1.0" }, { "fixed": "1.4" }]), &["1.2"]);
        assert_eq!(found(&fixed, &["1.0", "1.2", "1.3", "1.4"]), [true, true, false, false]);
        let odd = record("Go", "SEMVER", &json!([{ "introduced": "0" }, { "fixed": "1.0.0" }]), &[]);
        assert_eq!(found(&odd, &["latest"]), [false]);
    }

    #[test]
    fn packages_and_commits_are_told_apart() {
        let semver = record("Go", "SEMVER", &json!([{ "introduced": "0" }]), &[]);
        let look = |looked: Looked, record: &[u8]| looked.in_record(record).unwrap().is_affected;
        let of =
            |name: &str, ecosystem: &str| Looked { name: name.into(), ecosystem: Some(ecosystem.into()), ..Looked::default() };
        assert!(look(of("a", "Go"), &semver) && !look(of("b", "Go"), &semver) && !look(of("a", "npm"), &semver));
        let debian = record("Debian:12", "ECOSYSTEM", &json!([{ "introduced": "0" }]), &[]);
        assert!(look(of("a", "Debian"), &debian) && look(of("a", "Debian:12"), &debian) && !look(of("a", "Debian:11"), &debian));
        let python = record("PyPI", "ECOSYSTEM", &json!([{ "introduced": "0" }]), &[]);
        assert!(look(of("A", "PyPI"), &python) && !look(of("A", "npm"), &python));
        let git = record("Go", "GIT", &json!([{ "introduced": "abc" }, { "fixed": "def" }]), &[]);
        let commit = |commit: &str| Looked { commit: Some(commit.into()), ..of("a", "Go") };
        assert!(look(commit("abc"), &git) && !look(commit("def"), &git) && !look(commit("fff"), &git));
        let withdrawn = String::from_utf8(semver).unwrap().replace("\"id\"", "\"withdrawn\":\"2024-01-02T00:00:00Z\",\"id\"");
        assert!(!look(of("a", "Go"), withdrawn.as_bytes()));
    }

    proptest! {
        #[test]
        fn a_fixed_version_ends_a_range(major in 0_u64..9, minor in 0_u64..9, at: (u8, u8)) {
            let events = json!([{ "introduced": "0" }, { "fixed": format!("{major}.{minor}.0") }]);
            let record = record("Go", "SEMVER", &events, &[]);
            let version = format!("v{}.{}.7", at.0, at.1);
            let is_before = (u64::from(at.0), u64::from(at.1)) < (major, minor);
            prop_assert_eq!(found(&record, &[&version]), [is_before]);
        }

        #[test]
        fn nothing_makes_it_panic(events in prop::collection::vec(("introduced|fixed|last_affected|limit", "\\PC{0,9}"), 0..6), version in "\\PC{0,9}", ecosystem in "Go|PyPI|Debian|SUSE|Maven") {
            let events: Vec<_> = events.into_iter().map(|(kind, version)| json!({ kind: version })).collect();
            found(&record(&ecosystem, "ECOSYSTEM", &json!(events), &[]), &[&version]);
        }
    }
}
