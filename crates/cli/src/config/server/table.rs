//! The table of settings, by section of `provost.toml`.

use super::Key;

mod advisories;
mod database;
mod events;
mod limits;
mod log;
mod organizations;
mod outbound;
mod patterns;
mod retention;
mod sessions;
mod tls;
mod top;

/// A section of `provost.toml`.
#[derive(Debug)]
pub(super) struct Section {
    /// Its name; empty for the keys at the top.
    pub(super) name: &'static str,
    /// Its heading in the help.
    pub(super) heading: &'static str,
    /// Its keys.
    pub(super) keys: &'static [Key],
}

/// The sections in the order of the reference.
pub(super) const SECTIONS: &[Section] = &[
    Section { name: "", heading: "", keys: top::KEYS },
    Section { name: "tls", heading: "TLS", keys: tls::KEYS },
    Section { name: "database", heading: "Database", keys: database::KEYS },
    Section { name: "organizations", heading: "Organizations", keys: organizations::KEYS },
    Section { name: "advisories", heading: "Advisories", keys: advisories::KEYS },
    Section { name: "outbound", heading: "Requests to identity providers and clouds", keys: outbound::KEYS },
    Section { name: "patterns", heading: "Patterns and pasted keys of identities", keys: patterns::KEYS },
    Section { name: "sessions", heading: "Sessions of users", keys: sessions::KEYS },
    Section { name: "events", heading: "Delivery of events", keys: events::KEYS },
    Section { name: "retention", heading: "What is removed when it is old", keys: retention::KEYS },
    Section { name: "limits", heading: "Limits", keys: limits::KEYS },
    Section { name: "log", heading: "Log", keys: log::KEYS },
];

/// The section of this name.
pub(super) fn section(name: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.name == name && !name.is_empty())
}
