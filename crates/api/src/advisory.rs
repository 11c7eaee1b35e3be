//! What versions of advisories have in common: what events say, how bad vulnerabilities are, and filters.

use contract::{
    Reply,
    chainguard::platform::{advisory, vulnerabilities},
};
use domain::{
    Violations,
    vulnerabilities::{Detection, EventKind, EventType, Fixed, NvdMatch, ReviewState, Severity, SeveritySystem},
};

use services::vulnerabilities::advisories::Freshness;

use crate::{field, list, mirror};

/// What callers read where there is no advisory at all.
const EMPTY: &str = "there are no advisories here, neither created nor imported: this says nothing about vulnerabilities";

/// A list with how old what it was made from is, and a word where that is nothing.
pub(crate) fn dated<T>(message: T, freshness: Freshness) -> Reply<T> {
    let warning = freshness.is_empty.then(|| EMPTY.to_owned());
    Reply { warning, data_age: freshness.age, ..Reply::from(message) }
}

/// Writes what happened as a version of `vulnerabilities` does. `$subpackage` and `$component` are what it calls two fields of a scan; the
/// last part is what it has for a component that is somewhere else.
macro_rules! kinds {
    ($wire:path, $subpackage:ident, $component:ident, |$previous:ident, $new:ident, $note:ident| $moved:expr) => {
        use wire::advisory_event::{self as event, Type, detection};
        use $wire as wire;

        use super::*;

        /// What happened; `None` where this version has no word for it.
        pub(crate) fn kind(kind: &EventKind) -> Option<Type> {
            Some(match kind {
                EventKind::Detection(detection) => Type::Detection(event::Detection { r#type: found(detection) }),
                EventKind::TruePositiveDetermination { note } => {
                    Type::TruePositiveDetermination(event::TruePositiveDetermination { note: note.clone() })
                }
                EventKind::Fixed(Fixed { version, note, scanner_version, database_built, database_checksum }) => {
                    Type::Fixed(event::Fixed {
                        fixed_version: version.clone(),
                        note: note.clone(),
                        scanner_version: scanner_version.clone(),
                        grype_db_built: database_built.clone(),
                        grype_db_checksum: database_checksum.clone(),
                    })
                }
                EventKind::FalsePositiveDetermination { reason, note } => {
                    let r#type = mirror::number::<event::false_positive_determination::Type>(*reason);
                    Type::FalsePositiveDetermination(event::FalsePositiveDetermination { r#type, note: note.clone() })
                }
                EventKind::AnalysisNotPlanned { note } => {
                    Type::AnalysisNotPlanned(event::AnalysisNotPlanned { note: note.clone() })
                }
                EventKind::FixNotPlanned { note } => Type::FixNotPlanned(event::FixNotPlanned { note: note.clone() }),
                EventKind::PendingUpstreamFix { note } => {
                    Type::PendingUpstreamFix(event::PendingUpstreamFix { note: note.clone() })
                }
                EventKind::Patched { versions, note } => {
                    Type::Patched(event::Patched { patched_versions: versions.clone(), note: note.clone() })
                }
                EventKind::ComponentLocationChanged { previous: $previous, new: $new, note: $note } => return $moved,
            })
        }

        fn found(detection: &Detection) -> Option<detection::Type> {
            Some(match detection {
                Detection::Unknown => return None,
                Detection::Nvd(NvdMatch { searched, found }) => {
                    detection::Type::Nvdapi(detection::Nvdapi { cpe_searched: searched.clone(), cpe_found: found.clone() })
                }
                Detection::Manual => detection::Type::Manual(detection::Manual {}),
                Detection::Scan(scan) => {
                    let scan = (**scan).clone();
                    detection::Type::Scanv1(detection::ScanV1 {
                        scanner: scan.scanner,
                        $subpackage: scan.subpackage,
                        component_id: scan.component_id,
                        $component: scan.component,
                        component_version: scan.component_version,
                        component_type: scan.component_type,
                        component_location: scan.component_location,
                        artifact_version: scan.artifact_version,
                        scanner_version: scan.scanner_version,
                        grype_db_built: scan.database_built,
                        grype_db_checksum: scan.database_checksum,
                    })
                }
            })
        }
    };
}

/// Writes what happened as a version of `advisory` does, which has no word for patches and for components that are somewhere else.
macro_rules! published_kinds {
    ($wire:path, $event:ident) => {
        use wire::{detection, $event::Data};
        use $wire as wire;

        use super::*;

        /// What happened; `None` where there is no word for it.
        pub(crate) fn kind(kind: &EventKind) -> Option<Data> {
            Some(match kind {
                EventKind::Detection(detection) => Data::Detection(wire::Detection { r#type: found(detection) }),
                EventKind::TruePositiveDetermination { note } => {
                    Data::TruePositiveDetermination(wire::TruePositiveDetermination { note: note.clone() })
                }
                EventKind::Fixed(Fixed { version, note: _, scanner_version, database_built, database_checksum }) => {
                    Data::Fixed(wire::Fixed {
                        fixed_version: version.clone(),
                        scanner_version: scanner_version.clone(),
                        grype_db_built: database_built.clone(),
                        grype_db_checksum: database_checksum.clone(),
                    })
                }
                EventKind::FalsePositiveDetermination { reason, note } => {
                    Data::FalsePositiveDetermination(wire::FalsePositiveDetermination {
                        r#type: reason_number(*reason),
                        note: note.clone(),
                    })
                }
                EventKind::AnalysisNotPlanned { note } => {
                    Data::AnalysisNotPlanned(wire::AnalysisNotPlanned { note: note.clone() })
                }
                EventKind::FixNotPlanned { note } => Data::FixNotPlanned(wire::FixNotPlanned { note: note.clone() }),
                EventKind::PendingUpstreamFix { note } => {
                    Data::PendingUpstreamFix(wire::PendingUpstreamFix { note: note.clone() })
                }
                EventKind::Patched { .. } | EventKind::ComponentLocationChanged { .. } => return None,
            })
        }

        fn found(detection: &Detection) -> Option<detection::Type> {
            Some(match detection {
                Detection::Unknown => return None,
                Detection::Nvd(NvdMatch { searched, found }) => {
                    let (cpe_searched, cpe_found) = (searched.clone(), found.clone());
                    detection::Type::Nvdapi(detection::DetectionTypeNvdapi { cpe_searched, cpe_found })
                }
                Detection::Manual => detection::Type::Manual(detection::DetectionTypeManual {}),
                Detection::Scan(scan) => {
                    let scan = (**scan).clone();
                    detection::Type::Scanv1(detection::DetectionTypeScanV1 {
                        scanner: scan.scanner,
                        subpackage_name: scan.subpackage,
                        component_id: scan.component_id,
                        component_name: scan.component,
                        component_version: scan.component_version,
                        component_type: scan.component_type,
                        component_location: scan.component_location,
                        artifact_version: scan.artifact_version,
                        scanner_version: scan.scanner_version,
                        grype_db_built: scan.database_built,
                        grype_db_checksum: scan.database_checksum,
                    })
                }
            })
        }
    };
}

/// Events of `vulnerabilities`, v1.
pub(crate) mod v1 {
    kinds!(contract::chainguard::platform::vulnerabilities::v1, subpackage_name, component_name, |previous, new, note| {
        let (previous_location, new_location) = (previous.clone(), new.clone());
        let note = note.clone();
        Some(Type::ComponentLocationChanged(event::ComponentLocationChanged { previous_location, new_location, note }))
    });
}

/// Events of `vulnerabilities`, v2beta1.
pub(crate) mod v2beta1 {
    kinds!(contract::chainguard::platform::vulnerabilities::v2beta1, subpackage, component, |_previous, _new, _note| None);
}

/// Events of `advisory`, v1.
pub(crate) mod published_v1 {
    published_kinds!(contract::chainguard::platform::advisory, event);
}

/// Events of `advisory`, v2beta1.
pub(crate) mod published_v2beta1 {
    published_kinds!(contract::chainguard::platform::advisory::v2beta1, document_event);
}

/// The number of a reason, which all versions give the same.
fn reason_number(reason: domain::vulnerabilities::FalsePositiveReason) -> i32 {
    mirror::number::<vulnerabilities::v2beta1::advisory_event::false_positive_determination::Type>(reason)
}

/// The number of a scoring system, which all versions give the same; `None` where only the oldest has it.
pub(crate) fn system(system: SeveritySystem) -> Option<i32> {
    use vulnerabilities::v2beta1::severity::Type;
    Some(match system {
        SeveritySystem::CvssV2 => Type::CvssV2.into(),
        SeveritySystem::CvssV3 => Type::CvssV3.into(),
        SeveritySystem::CvssV4 => Type::CvssV4.into(),
        SeveritySystem::Ubuntu => return None,
    })
}

/// How bad something is, as a version writes it which has not all scoring systems; others are left out.
pub(crate) fn severities<W>(severities: &[Severity], to_wire: fn(i32, String) -> W) -> Vec<W> {
    let one = |severity: &Severity| Some(to_wire(system(severity.system)?, severity.score.clone()));
    severities.iter().filter_map(one).collect()
}

/// How bad something is, as v1 of `advisory` writes it.
pub(crate) fn all_severities(severities: &[Severity]) -> Vec<advisory::Severity> {
    let ubuntu = advisory::severity::Type::Ubuntu.into();
    let number = |severity: &Severity| system(severity.system).unwrap_or(ubuntu);
    severities.iter().map(|severity| advisory::Severity { r#type: number(severity), score: severity.score.clone() }).collect()
}

/// A filter by types of events, which version `W` numbers: a bit for each.
pub(crate) fn event_types<W: TryFrom<i32>>(field: &str, numbers: &[i32], violations: &mut Violations) -> i64 {
    bits::<W>(field, numbers, violations, |number| EventType::numbered(number).map(EventType::bit))
}

/// A filter by review states, which version `W` numbers: a bit for each.
pub(crate) fn review_states<W: TryFrom<i32>>(field: &str, numbers: &[i32], violations: &mut Violations) -> i64 {
    bits::<W>(field, numbers, violations, |number| ReviewState::numbered(number).map(ReviewState::bit))
}

/// A filter by one type of events; the unspecified one admits all.
pub(crate) fn event_type<W: TryFrom<i32>>(field: &str, number: i32, violations: &mut Violations) -> Option<EventType> {
    field::known::<W>(field, number, violations)?;
    EventType::numbered(number)
}

/// A bit for each number, of which the unspecified one admits all, as no bit does.
fn bits<W: TryFrom<i32>>(field: &str, numbers: &[i32], violations: &mut Violations, bit: fn(i32) -> Option<i64>) -> i64 {
    let (mut bits, mut admits_all) = (0, false);
    for (index, number) in list::within(field, numbers, list::VALUES, violations).iter().enumerate() {
        if field::known::<W>(&format!("{field}[{index}]"), *number, violations).is_some() {
            bits |= bit(*number).unwrap_or_default();
            admits_all |= bit(*number).is_none();
        }
    }
    if admits_all { 0 } else { bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_give_types_states_and_systems_the_same_numbers() {
        use vulnerabilities::{v1, v2beta1};
        for number in 0..12 {
            let name = |name: &str| name.trim_start_matches("EVENT_TYPE_FILTER_").trim_start_matches("REVIEW_STATE_").to_owned();
            let (old, new) = (v1::EventTypeFilter::try_from(number).ok(), v2beta1::EventTypeFilter::try_from(number).ok());
            assert_eq!(old.is_some(), (0..10).contains(&number));
            if let (Some(old), Some(new)) = (old, new) {
                assert_eq!(old.as_str_name(), new.as_str_name(), "{number}");
            }
            let (old, new) = (v1::ReviewStatus::try_from(number).ok(), v2beta1::ReviewState::try_from(number).ok());
            let old = old.map(|known| known.as_str_name().replace("UNKNOWN", "UNSPECIFIED"));
            assert_eq!(old, new.map(|known| name(known.as_str_name())), "{number}");
        }
        for system in [SeveritySystem::CvssV2, SeveritySystem::CvssV3, SeveritySystem::CvssV4] {
            let number = super::system(system).expect("all versions have it");
            let old = advisory::severity::Type::try_from(number).expect("it is known").as_str_name();
            let new = advisory::v2beta1::severity::Type::try_from(number).expect("it is known").as_str_name();
            assert_eq!(new.trim_start_matches("TYPE_"), old);
        }
    }

    #[test]
    fn filters_refuse_what_no_version_has() {
        use vulnerabilities::v2beta1::EventTypeFilter as Filter;
        let mut violations = Violations::default();
        assert_eq!(event_types::<Filter>("event_types", &[1, 3, 3], &mut violations), 0b1010);
        assert_eq!(event_types::<Filter>("event_types", &[3, 0], &mut violations), 0, "the unspecified one admits all");
        assert!(violations.is_empty());
        event_types::<Filter>("event_types", &[1, 9, 77], &mut violations);
        let message = violations.check().expect_err("two are refused").message().to_owned();
        assert!(message.contains("event_types[1]") && message.contains("event_types[2]"), "{message}");
    }
}
