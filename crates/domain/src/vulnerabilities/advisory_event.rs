//! Events of advisories: what was found out, by whom, and what its review has come to.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{time::Timestamp, uidp::Uidp};

/// One step in the life of an advisory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdvisoryEvent {
    /// Its identifier; the parent is the advisory.
    pub uid: Uidp,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub kind: EventKind,
    /// What it rests on, in the form that its author supplied; never interpreted.
    #[serde(default, skip_serializing_if = "Findings::is_empty")]
    pub findings: Findings,
    /// Who recorded it, as they call themselves.
    pub author: String,
    /// Who reviewed it, as they call themselves; empty before a review.
    pub reviewer: String,
    /// What the review has come to.
    pub review: ReviewState,
    /// Where it is discussed, usually a URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// The identity that last wrote what it says, which cannot approve it.
    pub written_by: Uidp,
}

/// Bytes that nobody interprets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings(pub Vec<u8>);

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventKind {
    /// The vulnerability was found.
    Detection(Detection),
    /// The artifact really is vulnerable.
    TruePositiveDetermination {
        /// What readers should know.
        note: String,
    },
    /// A version without the vulnerability is out.
    Fixed(Fixed),
    /// The artifact is not vulnerable.
    FalsePositiveDetermination {
        /// Why it is not.
        reason: FalsePositiveReason,
        /// What readers should know.
        note: String,
    },
    /// Nobody will look into it.
    AnalysisNotPlanned {
        /// What readers should know.
        note: String,
    },
    /// There will be no fix.
    FixNotPlanned {
        /// What readers should know.
        note: String,
    },
    /// A fix has to come from the makers of the component first.
    PendingUpstreamFix {
        /// What readers should know.
        note: String,
    },
    /// A patch on top of released versions has removed the vulnerability.
    Patched {
        /// The versions that have the patch; order is kept.
        versions: Vec<String>,
        /// What readers should know.
        note: String,
    },
    /// The component is somewhere else in the artifact than before.
    ComponentLocationChanged {
        /// Where it was.
        previous: String,
        /// Where it is.
        new: String,
        /// What readers should know.
        note: String,
    },
}

/// How a vulnerability was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Detection {
    /// That is not told.
    #[default]
    Unknown,
    /// By comparing CPEs with the National Vulnerability Database.
    Nvd(NvdMatch),
    /// By a person.
    Manual,
    /// By a scanner.
    Scan(Box<Scan>),
}

/// Two CPEs that matched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NvdMatch {
    /// The CPE that was searched for.
    pub searched: String,
    /// That of the vulnerability.
    pub found: String,
}

/// What a scanner reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scan {
    /// Name of the scanner.
    pub scanner: String,
    /// Name of the subpackage that the component was found in.
    pub subpackage: String,
    /// The scanner's id for the component.
    pub component_id: String,
    /// Name of the component.
    pub component: String,
    /// Version of the component.
    pub component_version: String,
    /// Type of the component.
    pub component_type: String,
    /// Where in the artifact the component was found.
    pub component_location: String,
    /// Version of the artifact that was scanned.
    pub artifact_version: String,
    /// Version of the scanner.
    pub scanner_version: String,
    /// When the scanner's database was built, as the scanner reports it.
    pub database_built: String,
    /// Checksum of the scanner's database.
    pub database_checksum: String,
}

/// The version that has the vulnerability no more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixed {
    /// The first version of the artifact without it.
    pub version: String,
    /// What readers should know.
    pub note: String,
    /// Version of the scanner that confirmed it.
    pub scanner_version: String,
    /// When that scanner's database was built, as the scanner reports it.
    pub database_built: String,
    /// Checksum of that scanner's database.
    pub database_checksum: String,
}

/// Why an artifact is not vulnerable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FalsePositiveReason {
    /// Not told.
    #[default]
    Unspecified,
    /// The published record of the vulnerability is disputed.
    VulnerabilityRecordAnalysisContested,
    /// The record is about another component.
    ComponentVulnerabilityMismatch,
    /// The artifact uses a version without the vulnerable code.
    VulnerableCodeVersionNotUsed,
    /// The vulnerable code is not in the artifact.
    VulnerableCodeNotIncludedInPackage,
    /// The vulnerable code is never run.
    VulnerableCodeNotInExecutionPath,
    /// No attacker can reach the vulnerable code.
    VulnerableCodeCannotBeControlledByAdversary,
    /// Something in the artifact prevents the attack.
    InlineMitigationsExist,
}

/// What a review has come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    /// Nothing yet.
    #[default]
    Pending = 1,
    /// It counts. That is final.
    Approved = 2,
    /// Its author has to change something first.
    RequestChanges = 3,
    /// It does not count. That is final.
    Rejected = 4,
}

/// The type of an event, for filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventType {
    /// [`EventKind::Detection`].
    Detection = 1,
    /// [`EventKind::TruePositiveDetermination`].
    TruePositiveDetermination = 2,
    /// [`EventKind::Fixed`].
    Fixed = 3,
    /// [`EventKind::FalsePositiveDetermination`].
    FalsePositiveDetermination = 4,
    /// [`EventKind::AnalysisNotPlanned`].
    AnalysisNotPlanned = 5,
    /// [`EventKind::FixNotPlanned`].
    FixNotPlanned = 6,
    /// [`EventKind::PendingUpstreamFix`].
    PendingUpstreamFix = 7,
    /// [`EventKind::Patched`].
    Patched = 8,
    /// [`EventKind::ComponentLocationChanged`].
    ComponentLocationChanged = 9,
}

impl AdvisoryEvent {
    /// Whether it counts for the public.
    #[must_use]
    pub fn is_approved(&self) -> bool {
        self.review == ReviewState::Approved
    }

    /// Whether it says the same as the other, reviews apart.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        let said = |event: &Self| Self { review: ReviewState::Pending, reviewer: String::new(), ..event.clone() };
        said(self) == said(other)
    }
}

impl EventKind {
    /// Its type.
    #[must_use]
    pub fn event_type(&self) -> EventType {
        match self {
            Self::Detection(_) => EventType::Detection,
            Self::TruePositiveDetermination { .. } => EventType::TruePositiveDetermination,
            Self::Fixed(_) => EventType::Fixed,
            Self::FalsePositiveDetermination { .. } => EventType::FalsePositiveDetermination,
            Self::AnalysisNotPlanned { .. } => EventType::AnalysisNotPlanned,
            Self::FixNotPlanned { .. } => EventType::FixNotPlanned,
            Self::PendingUpstreamFix { .. } => EventType::PendingUpstreamFix,
            Self::Patched { .. } => EventType::Patched,
            Self::ComponentLocationChanged { .. } => EventType::ComponentLocationChanged,
        }
    }
}

impl EventType {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Detection,
        Self::TruePositiveDetermination,
        Self::Fixed,
        Self::FalsePositiveDetermination,
        Self::AnalysisNotPlanned,
        Self::FixNotPlanned,
        Self::PendingUpstreamFix,
        Self::Patched,
        Self::ComponentLocationChanged,
    ];

    /// The one with this number, if there is one.
    #[must_use]
    pub fn numbered(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == i64::from(number))
    }

    /// Its number, as the store and all versions of the wire have it.
    #[must_use]
    pub fn number(self) -> i64 {
        self as i64
    }

    /// A bit of its own.
    #[must_use]
    pub fn bit(self) -> i64 {
        1 << self.number()
    }
}

impl ReviewState {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Approved, Self::RequestChanges, Self::Rejected];

    /// The one with this number, if there is one.
    #[must_use]
    pub fn numbered(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.number() == number)
    }

    /// Its number, as all versions of the wire have it.
    #[must_use]
    pub fn number(self) -> i32 {
        self as i32
    }

    /// Whether nothing can follow it.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Approved | Self::Rejected)
    }

    /// A bit of its own.
    #[must_use]
    pub fn bit(self) -> i64 {
        1 << self.number()
    }
}

impl Findings {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Findings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Findings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        BASE64_STANDARD.decode(text).map(Self).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_a_bit_of_its_own() {
        assert_eq!(EventType::ALL.iter().fold(0, |bits, kind| bits | kind.bit()).count_ones(), 9);
        assert_eq!(ReviewState::ALL.iter().fold(0, |bits, state| bits | state.bit()).count_ones(), 4);
        assert_eq!((0..20).filter_map(EventType::numbered).collect::<Vec<_>>(), EventType::ALL);
        assert_eq!((0..20).filter_map(ReviewState::numbered).collect::<Vec<_>>(), ReviewState::ALL);
    }

    #[test]
    fn events_survive_as_text() {
        let kinds = [
            EventKind::Detection(Detection::Unknown),
            EventKind::Detection(Detection::Manual),
            EventKind::Detection(Detection::Nvd(NvdMatch { searched: "a".into(), found: "b".into() })),
            EventKind::Detection(Detection::Scan(Box::new(Scan { scanner: "grype".into(), ..Scan::default() }))),
            EventKind::Fixed(Fixed { version: "1.2.3-r0".into(), ..Fixed::default() }),
            EventKind::FalsePositiveDetermination { reason: FalsePositiveReason::InlineMitigationsExist, note: "n".into() },
            EventKind::Patched { versions: vec!["1".into()], note: String::new() },
            EventKind::ComponentLocationChanged { previous: "a".into(), new: "b".into(), note: String::new() },
        ];
        for kind in kinds {
            let event = AdvisoryEvent {
                uid: Uidp::root_from([1; 20]).child([2; 8]).child([3; 8]),
                at: Timestamp(5),
                kind,
                findings: Findings(vec![0, 255]),
                author: "ana".into(),
                reviewer: String::new(),
                review: ReviewState::RequestChanges,
                issue: None,
                written_by: Uidp::root_from([4; 20]),
            };
            let text = serde_json::to_string(&event).expect("is written");
            assert_eq!(serde_json::from_str::<AdvisoryEvent>(&text).expect("is read"), event, "{text}");
        }
    }

    #[test]
    fn a_review_changes_nothing_of_what_is_said() {
        let event = AdvisoryEvent {
            uid: Uidp::root_from([1; 20]).child([2; 8]).child([3; 8]),
            at: Timestamp(5),
            kind: EventKind::FixNotPlanned { note: "old".into() },
            findings: Findings::default(),
            author: "ana".into(),
            reviewer: String::new(),
            review: ReviewState::Pending,
            issue: None,
            written_by: Uidp::root_from([4; 20]),
        };
        let approved = AdvisoryEvent { review: ReviewState::Approved, reviewer: "ben".into(), ..event.clone() };
        assert!(event.says_the_same(&approved));
        let other = AdvisoryEvent { kind: EventKind::FixNotPlanned { note: "new".into() }, ..event.clone() };
        assert!(!event.says_the_same(&other));
    }
}
