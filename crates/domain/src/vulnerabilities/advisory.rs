//! Advisories: what a team says about a vulnerability in something that it ships.

use std::fmt;

use aws_lc_rs::digest;
use serde::{Deserialize, Serialize};

use super::{AdvisoryEvent, EventType, Severity};
use crate::{revision::Revision, time::Timestamp, uidp::Uidp};

/// One vulnerability in one component of one artifact, and all that was found out about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advisory {
    /// Its identifier; the parent is the group.
    pub uid: Uidp,
    /// What callers may set.
    pub spec: AdvisorySpec,
    /// What happened with it, the oldest first.
    pub events: Vec<AdvisoryEvent>,
    /// When it was withdrawn; `None` while it stands.
    pub withdrawn_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// What callers may set of an advisory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdvisorySpec {
    /// Name of the artifact, such as a package.
    pub artifact_name: String,
    /// Type of the artifact, such as `apk`.
    pub artifact_type: String,
    /// Architecture of the artifact; empty for all.
    pub artifact_architecture: String,
    /// Name of the vulnerable component inside the artifact, if it is told.
    pub component_name: Option<String>,
    /// Where in the artifact the component is, usually a path, if it is told.
    pub component_location: Option<String>,
    /// Type of the component, such as `go-module`, if it is told.
    pub component_type: Option<String>,
    /// Ids of the vulnerability, such as `CVE-2024-3094` and GHSA ids; order is kept.
    pub aliases: Vec<String>,
    /// Who wrote the advisory, as they call themselves.
    pub author: String,
    /// Its id in an older collection, if it was in one.
    pub legacy_id: Option<String>,
}

/// An advisory with how bad its vulnerability is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdvisoryView {
    /// The advisory.
    pub advisory: Advisory,
    /// What the organization knows of how bad the vulnerability is, by the aliases, each rating once.
    pub severities: Vec<Severity>,
}

/// The public id of an advisory: `CGA-` and three groups of four characters. It follows from the identifier of the advisory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AdvisoryId(Box<str>);

impl Advisory {
    /// Its public id.
    #[must_use]
    pub fn public_id(&self) -> AdvisoryId {
        AdvisoryId::of(&self.uid)
    }

    /// The types of its events, a bit for each.
    #[must_use]
    pub fn event_types(&self) -> i64 {
        self.events.iter().fold(0, |bits, event| bits | event.kind.event_type().bit())
    }

    /// The review states of its events, a bit for each.
    #[must_use]
    pub fn review_states(&self) -> i64 {
        self.events.iter().fold(0, |bits, event| bits | event.review.bit())
    }

    /// The type of its latest approved event, if it has one.
    #[must_use]
    pub fn latest_event_type(&self) -> Option<EventType> {
        self.approved().next_back().map(|event| event.kind.event_type())
    }

    /// When it was fixed, if that is what its latest approved event says.
    #[must_use]
    pub fn fixed_at(&self) -> Option<Timestamp> {
        let latest = self.approved().next_back().filter(|event| event.kind.event_type() == EventType::Fixed);
        latest.map(|event| event.at)
    }

    /// The events that count for the public, the oldest first.
    #[must_use]
    pub fn approved(&self) -> impl DoubleEndedIterator<Item = &AdvisoryEvent> {
        self.events.iter().filter(|event| event.is_approved())
    }

    /// Whether the public may see it: it stands, and an event of it was approved.
    #[must_use]
    pub fn is_published(&self) -> bool {
        self.withdrawn_at.is_none() && self.approved().next().is_some()
    }
}

impl AdvisorySpec {
    /// What a text that is searched for is looked for in: the names of artifact and component and the aliases, in lower case, each on
    /// a line of its own.
    #[must_use]
    pub fn searched(&self) -> String {
        let texts = [self.artifact_name.as_str(), self.component_name.as_deref().unwrap_or_default()];
        let texts: Vec<_> = texts.into_iter().chain(self.aliases.iter().map(String::as_str)).collect();
        texts.join("\n").to_lowercase()
    }
}

impl AdvisoryId {
    /// Characters that are not mistaken for each other and make no words.
    const ALPHABET: &[u8; 20] = b"23456789cfghjmpqrvwx";
    /// Characters behind the prefix, without the dashes.
    const LEN: usize = 12;

    /// The id of the advisory with this identifier: 51 bits of its SHA-256.
    #[must_use]
    pub fn of(uid: &Uidp) -> Self {
        let digest = digest::digest(&digest::SHA256, uid.as_str().as_bytes());
        let mut number = digest.as_ref().iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        let base = Self::ALPHABET.len() as u64;
        let mut id = String::from("CGA");
        for index in 0..Self::LEN {
            if index % 4 == 0 {
                id.push('-');
            }
            let digit = usize::try_from(number % base).unwrap_or_default();
            id.push(Self::ALPHABET.get(digit).map_or('x', |byte| char::from(*byte)));
            number /= base;
        }
        Self(id.into())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AdvisoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(bytes: [u8; 8]) -> String {
        AdvisoryId::of(&Uidp::root_from([1; 20]).child(bytes)).to_string()
    }

    proptest! {
        #[test]
        fn public_ids_have_their_form(bytes: [u8; 8]) {
            let id = id(bytes);
            prop_assert_eq!(id.len(), 18);
            let groups: Vec<_> = id.split('-').collect();
            prop_assert_eq!((groups.len(), groups[0]), (4, "CGA"));
            let is_digit = |byte: u8| AdvisoryId::ALPHABET.contains(&byte);
            prop_assert!(groups[1..].iter().all(|group| group.len() == 4 && group.bytes().all(is_digit)));
        }
    }

    #[test]
    fn neighbours_have_different_public_ids() {
        let ids: std::collections::BTreeSet<_> = (0..1000_u64).map(|number| id(number.to_be_bytes())).collect();
        assert_eq!(ids.len(), 1000);
    }

    #[test]
    fn searches_know_no_case() {
        let spec = AdvisorySpec {
            artifact_name: "OpenSSL".to_owned(),
            component_name: Some("libCrypto".to_owned()),
            aliases: vec!["CVE-2024-0001".to_owned()],
            ..AdvisorySpec::default()
        };
        assert_eq!(spec.searched(), "openssl\nlibcrypto\ncve-2024-0001");
    }
}
