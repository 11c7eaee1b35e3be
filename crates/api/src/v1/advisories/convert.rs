//! Advisories and their events between the wire and the domain.

use contract::chainguard::platform::vulnerabilities::v1::{
    self as wire, ReviewStatus,
    advisory_event::{self as happened, Type, detection},
};
use domain::{
    Violations,
    vulnerabilities::{Advisory, AdvisoryEvent, AdvisorySpec, Detection, EventKind, Fixed, NvdMatch, ReviewState, Scan},
};
use services::vulnerabilities::advisories::EventDraft;

use crate::{advisory, field, mirror, time};

/// An advisory for an answer.
pub(super) fn to_wire(advisory: &Advisory) -> wire::Advisory {
    let spec = advisory.spec.clone();
    wire::Advisory {
        id: advisory.uid.to_string(),
        artifact_type: spec.artifact_type,
        artifact_name: spec.artifact_name,
        artifact_architecture: spec.artifact_architecture,
        component_name: spec.component_name,
        component_location: spec.component_location,
        component_type: spec.component_type,
        created_at: Some(time::to_wire(advisory.created_at)),
        updated_at: Some(time::to_wire(advisory.updated_at)),
        deleted_at: advisory.withdrawn_at.map(time::to_wire),
        aliases: spec.aliases,
        events: advisory.events.iter().map(event).collect(),
        advisory_id: advisory.public_id().to_string(),
        author: spec.author,
        legacy_advisory_id: spec.legacy_id,
    }
}

/// An event for an answer.
pub(super) fn event(event: &AdvisoryEvent) -> wire::AdvisoryEvent {
    wire::AdvisoryEvent {
        id: event.uid.to_string(),
        timestamp: Some(time::to_wire(event.at)),
        findings: event.findings.0.clone().into(),
        author: event.author.clone(),
        reviewer: event.reviewer.clone(),
        status: event.review.number(),
        issue: event.issue.clone(),
        r#type: advisory::v1::kind(&event.kind),
    }
}

/// What a request says that an advisory should be; its events are apart.
pub(super) fn spec(advisory: wire::Advisory) -> AdvisorySpec {
    AdvisorySpec {
        artifact_name: advisory.artifact_name,
        artifact_type: advisory.artifact_type,
        artifact_architecture: advisory.artifact_architecture,
        component_name: advisory.component_name,
        component_location: advisory.component_location,
        component_type: advisory.component_type,
        aliases: advisory.aliases,
        author: advisory.author,
        legacy_id: advisory.legacy_advisory_id,
    }
}

/// What a request says of an event, whose fields are below `prefix`, with violations where that cannot be read.
pub(super) fn draft(prefix: &str, event: wire::AdvisoryEvent, violations: &mut Violations) -> EventDraft {
    let at = event.timestamp.and_then(|at| time::parse(&format!("{prefix}timestamp"), &at, violations));
    let status = field::known::<ReviewStatus>(&format!("{prefix}status"), event.status, violations);
    let kind = event.r#type.and_then(|kind| read(prefix, kind, violations));
    EventDraft {
        at,
        kind,
        findings: event.findings.into(),
        author: event.author,
        reviewer: event.reviewer,
        review: status.and_then(|_| ReviewState::numbered(event.status)),
        issue: event.issue,
    }
}

fn read(prefix: &str, kind: Type, violations: &mut Violations) -> Option<EventKind> {
    Some(match kind {
        Type::Detection(found) => EventKind::Detection(found.r#type.map(detected).unwrap_or_default()),
        Type::Fixed(happened::Fixed { fixed_version, note, scanner_version, grype_db_built, grype_db_checksum }) => {
            EventKind::Fixed(Fixed {
                version: fixed_version,
                note,
                scanner_version,
                database_built: grype_db_built,
                database_checksum: grype_db_checksum,
            })
        }
        Type::FalsePositiveDetermination(happened::FalsePositiveDetermination { r#type, note }) => {
            let field = format!("{prefix}false_positive_determination.type");
            let reason = mirror::known::<happened::false_positive_determination::Type, _>(&field, r#type, violations)?;
            EventKind::FalsePositiveDetermination { reason, note }
        }
        Type::AnalysisNotPlanned(happened::AnalysisNotPlanned { note }) => EventKind::AnalysisNotPlanned { note },
        Type::FixNotPlanned(happened::FixNotPlanned { note }) => EventKind::FixNotPlanned { note },
        Type::PendingUpstreamFix(happened::PendingUpstreamFix { note }) => EventKind::PendingUpstreamFix { note },
        Type::TruePositiveDetermination(happened::TruePositiveDetermination { note }) => {
            EventKind::TruePositiveDetermination { note }
        }
        Type::Patched(happened::Patched { patched_versions, note }) => EventKind::Patched { versions: patched_versions, note },
        Type::ComponentLocationChanged(moved) => {
            EventKind::ComponentLocationChanged { previous: moved.previous_location, new: moved.new_location, note: moved.note }
        }
    })
}

fn detected(by: detection::Type) -> Detection {
    match by {
        detection::Type::Nvdapi(detection::Nvdapi { cpe_searched, cpe_found }) => {
            Detection::Nvd(NvdMatch { searched: cpe_searched, found: cpe_found })
        }
        detection::Type::Manual(detection::Manual {}) => Detection::Manual,
        detection::Type::Scanv1(scan) => Detection::Scan(Box::new(Scan {
            scanner: scan.scanner,
            subpackage: scan.subpackage_name,
            component_id: scan.component_id,
            component: scan.component_name,
            component_version: scan.component_version,
            component_type: scan.component_type,
            component_location: scan.component_location,
            artifact_version: scan.artifact_version,
            scanner_version: scan.scanner_version,
            database_built: scan.grype_db_built,
            database_checksum: scan.grype_db_checksum,
        })),
    }
}
