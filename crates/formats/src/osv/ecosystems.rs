//! Names of ecosystems, and the types of package URLs that they go with.

/// The ecosystems that the schema knows; a suffix behind a colon says which release.
const KNOWN: [&str; 42] = [
    "AlmaLinux",
    "Alpaquita",
    "Alpine",
    "Android",
    "BellSoft Hardened Containers",
    "Bioconductor",
    "Bitnami",
    "CRAN",
    "Chainguard",
    "CleanStart",
    "ConanCenter",
    "Debian",
    "Echo",
    "GHC",
    "GitHub Actions",
    "Go",
    "Hackage",
    "Hex",
    "Julia",
    "Kubernetes",
    "Linux",
    "Mageia",
    "Maven",
    "MinimOS",
    "NuGet",
    "OSS-Fuzz",
    "Packagist",
    "Photon OS",
    "Pub",
    "PyPI",
    "Red Hat",
    "Rocky Linux",
    "RubyGems",
    "SUSE",
    "SwiftURL",
    "Ubuntu",
    "VSCode",
    "Wolfi",
    "crates.io",
    "npm",
    "openEuler",
    "openSUSE",
];

/// Types of package URLs and the ecosystem of each.
const KINDS: [(&str, &str); 15] = [
    ("apk", "Chainguard"),
    ("bitnami", "Bitnami"),
    ("cargo", "crates.io"),
    ("composer", "Packagist"),
    ("cran", "CRAN"),
    ("deb", "Debian"),
    ("gem", "RubyGems"),
    ("golang", "Go"),
    ("hackage", "Hackage"),
    ("hex", "Hex"),
    ("maven", "Maven"),
    ("npm", "npm"),
    ("nuget", "NuGet"),
    ("pub", "Pub"),
    ("pypi", "PyPI"),
];

/// The ecosystem of artifacts of this type, if the schema has one.
pub(crate) fn of(artifact_type: &str) -> Option<&str> {
    let name = artifact_type.split(':').next().unwrap_or_default();
    if KNOWN.contains(&name) {
        return Some(artifact_type);
    }
    let kind = artifact_type.to_ascii_lowercase();
    KINDS.iter().find(|(known, _)| *known == kind).map(|(_, ecosystem)| *ecosystem)
}

/// The type of package URLs for artifacts of this type.
pub(crate) fn purl_type(artifact_type: &str) -> &str {
    let name = artifact_type.split(':').next().unwrap_or_default();
    KINDS.iter().find(|(_, ecosystem)| *ecosystem == name).map_or(artifact_type, |(kind, _)| *kind)
}

/// The folder of a database that records about artifacts of this type are in: their ecosystem without its release, or `GIT`.
#[must_use]
pub fn folder(artifact_type: &str) -> Option<&str> {
    if artifact_type == "GIT" {
        return Some(artifact_type);
    }
    of(artifact_type).and_then(|ecosystem| ecosystem.split(':').next())
}
