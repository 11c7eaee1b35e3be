//! States of OpenVEX and types of events, both ways.
//!
//! OpenVEX has fewer words: what it has none for is written in front of `status_notes`, and read from there.

use domain::vulnerabilities::{Detection, EventKind, FalsePositiveReason, Fixed};

/// What is told to do where nobody has said anything: OpenVEX wants a word.
const NO_ACTION: &str = "No fix is known.";

/// A state with what belongs to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) status: String,
    pub(crate) notes: Option<String>,
    pub(crate) justification: Option<String>,
    pub(crate) impact: Option<String>,
    pub(crate) action: Option<String>,
}

/// Justifications and the reason that each stands for.
const JUSTIFICATIONS: [(&str, FalsePositiveReason); 5] = [
    ("component_not_present", FalsePositiveReason::ComponentVulnerabilityMismatch),
    ("vulnerable_code_not_present", FalsePositiveReason::VulnerableCodeNotIncludedInPackage),
    ("vulnerable_code_not_in_execute_path", FalsePositiveReason::VulnerableCodeNotInExecutionPath),
    ("vulnerable_code_cannot_be_controlled_by_adversary", FalsePositiveReason::VulnerableCodeCannotBeControlledByAdversary),
    ("inline_mitigations_already_exist", FalsePositiveReason::InlineMitigationsExist),
];

const VERSION_NOT_USED: &str = "vulnerable_code_version_not_used";
const FIX_NOT_PLANNED: &str = "fix_not_planned";
const PENDING_UPSTREAM_FIX: &str = "pending_upstream_fix";
const ANALYSIS_NOT_PLANNED: &str = "analysis_not_planned";
const PATCHED: &str = "patched";

impl State {
    /// The state that the event stands for; `None` where there is none.
    pub(crate) fn of(kind: &EventKind) -> Option<Self> {
        let state = |status: &str| Self { status: status.to_owned(), ..Self::default() };
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let affected = |word: &str, note: &str| {
            let action = text(note).unwrap_or_else(|| NO_ACTION.to_owned());
            Self { notes: text(word), action: Some(action), ..state("affected") }
        };
        Some(match kind {
            EventKind::Detection(_) => state("under_investigation"),
            EventKind::TruePositiveDetermination { note } => affected("", note),
            EventKind::AnalysisNotPlanned { note } => affected(ANALYSIS_NOT_PLANNED, note),
            EventKind::FixNotPlanned { note } => affected(FIX_NOT_PLANNED, note),
            EventKind::PendingUpstreamFix { note } => affected(PENDING_UPSTREAM_FIX, note),
            EventKind::Fixed(Fixed { note, .. }) => Self { notes: text(note), ..state("fixed") },
            EventKind::Patched { versions, note } => {
                let notes = format!("{PATCHED}: {}\n{note}", versions.join(", "));
                Self { notes: Some(notes.trim_end().to_owned()), ..state("fixed") }
            }
            EventKind::FalsePositiveDetermination { reason, note } => {
                let state = Self { impact: text(note), ..state("not_affected") };
                let known = JUSTIFICATIONS.iter().find(|(_, known)| known == reason);
                match (known, reason) {
                    (Some((justification, _)), _) => Self { justification: Some((*justification).to_owned()), ..state },
                    (None, FalsePositiveReason::VulnerableCodeVersionNotUsed) => Self {
                        justification: Some("vulnerable_code_not_present".to_owned()),
                        notes: Some(VERSION_NOT_USED.to_owned()),
                        ..state
                    },
                    // The record is disputed, and OpenVEX has no justification for that: it takes a statement instead.
                    (None, _) => {
                        let impact = state.impact.clone().unwrap_or_else(|| DISPUTED.to_owned());
                        Self { impact: Some(impact), ..state }
                    }
                }
            }
            EventKind::ComponentLocationChanged { .. } => return None,
        })
    }

    /// The event that the state stands for, where the product has this version.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn kind(self, version: Option<&str>) -> Result<EventKind, String> {
        let Self { status, notes, justification, impact, action } = self;
        let notes = notes.unwrap_or_default();
        let action = action.filter(|action| action != NO_ACTION).unwrap_or_default();
        Ok(match status.as_str() {
            "under_investigation" => EventKind::Detection(Detection::Manual),
            "affected" => match notes.as_str() {
                FIX_NOT_PLANNED => EventKind::FixNotPlanned { note: action },
                PENDING_UPSTREAM_FIX => EventKind::PendingUpstreamFix { note: action },
                ANALYSIS_NOT_PLANNED => EventKind::AnalysisNotPlanned { note: action },
                _ => EventKind::TruePositiveDetermination { note: action },
            },
            "fixed" => match notes.strip_prefix("patched: ") {
                Some(patched) => {
                    let (versions, note) = patched.split_once('\n').unwrap_or((patched, ""));
                    let versions = versions.split(", ").map(str::to_owned).collect();
                    EventKind::Patched { versions, note: note.to_owned() }
                }
                // A product without a version stands for all of them: none has the vulnerability.
                None => EventKind::Fixed(Fixed { version: version.unwrap_or("0").to_owned(), note: notes, ..Fixed::default() }),
            },
            "not_affected" => {
                let impact = impact.unwrap_or_default();
                let reason = match justification.as_deref() {
                    Some("vulnerable_code_not_present") if notes == VERSION_NOT_USED => {
                        FalsePositiveReason::VulnerableCodeVersionNotUsed
                    }
                    Some(justification) => JUSTIFICATIONS
                        .iter()
                        .find(|(known, _)| *known == justification)
                        .map(|(_, reason)| *reason)
                        .ok_or_else(|| format!("has the unknown justification {justification:?}"))?,
                    None if impact.is_empty() => {
                        return Err("is not_affected with neither justification nor impact_statement".to_owned());
                    }
                    None => FalsePositiveReason::VulnerabilityRecordAnalysisContested,
                };
                let note = if impact == DISPUTED { String::new() } else { impact };
                EventKind::FalsePositiveDetermination { reason, note }
            }
            status => return Err(format!("has the unknown status {status:?}")),
        })
    }
}

/// What is said where a record is disputed and nobody says more.
const DISPUTED: &str = "The record of the vulnerability is disputed.";
