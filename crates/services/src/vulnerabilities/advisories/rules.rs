//! What holds for every advisory and its events.

use domain::{
    Ctx, Error, Result, Violations,
    vulnerabilities::{AdvisoryEvent, AdvisorySpec, Detection, EventKind, FalsePositiveReason, Fixed, NvdMatch, Scan},
};

use crate::texts::{self, LONG, SHORT, optional, required};

/// Most aliases of an advisory.
const MAX_ALIASES: usize = 50;
/// Most events of an advisory.
pub(crate) const MAX_EVENTS: usize = 100;
/// Most bytes that all events of an advisory take as text: a page of lists has 200 advisories.
const MAX_BYTES: usize = 64 << 10;
/// Longest note in bytes.
const NOTE: usize = 4096;
/// Most versions of a patch.
const MAX_VERSIONS: usize = 100;

/// What an event without a type is told.
pub(crate) const NO_TYPE: &str = "exactly one of detection, fixed, false_positive_determination, analysis_not_planned, \
                                  fix_not_planned, pending_upstream_fix, true_positive_determination, patched and \
                                  component_location_changed is required";

/// Judges the texts of an advisory.
pub(crate) fn check(spec: &AdvisorySpec, violations: &mut Violations) {
    let AdvisorySpec {
        artifact_name,
        artifact_type,
        artifact_architecture,
        component_name,
        component_location,
        component_type,
        aliases,
        author,
        legacy_id,
    } = spec;
    required("artifact_type", artifact_type, SHORT, violations);
    required("artifact_name", artifact_name, SHORT, violations);
    optional("artifact_architecture", artifact_architecture, SHORT, violations);
    for (field, text, max) in [
        ("component_name", component_name, SHORT),
        ("component_location", component_location, LONG),
        ("component_type", component_type, SHORT),
        ("legacy_advisory_id", legacy_id, SHORT),
    ] {
        optional(field, text.as_deref().unwrap_or_default(), max, violations);
    }
    texts::each("aliases", aliases, MAX_ALIASES, violations, |field, alias, violations| {
        required(field, alias, SHORT, violations);
    });
    required("author", author, SHORT, violations);
}

/// Judges how many events a new advisory has; answers whether they are few enough.
pub(crate) fn check_count(events: usize, violations: &mut Violations) -> bool {
    texts::count("events", events, MAX_EVENTS, violations)
}

/// Judges what an event says; its fields are below `prefix`.
pub(crate) fn check_event(ctx: &Ctx, event: &AdvisoryEvent, prefix: &str, violations: &mut Violations) {
    let field = |name: &str| format!("{prefix}{name}");
    if event.at > ctx.now {
        violations.add(field("timestamp"), "timestamp must not be in the future");
    }
    required(&field("author"), &event.author, SHORT, violations);
    optional(&field("reviewer"), &event.reviewer, SHORT, violations);
    optional(&field("issue"), event.issue.as_deref().unwrap_or_default(), LONG, violations);
    let note = |kind: &str, text: &str, violations: &mut Violations| {
        if !text.is_empty() {
            texts::block(&field(&format!("{kind}.note")), text, NOTE, violations);
        }
    };
    match &event.kind {
        EventKind::Detection(detection) => check_detection(detection, &field("detection"), violations),
        EventKind::TruePositiveDetermination { note: text } => note("true_positive_determination", text, violations),
        EventKind::Fixed(Fixed { version, note: text, scanner_version, database_built, database_checksum }) => {
            required(&field("fixed.fixed_version"), version, SHORT, violations);
            note("fixed", text, violations);
            optional(&field("fixed.scanner_version"), scanner_version, SHORT, violations);
            optional(&field("fixed.grype_db_built"), database_built, SHORT, violations);
            optional(&field("fixed.grype_db_checksum"), database_checksum, SHORT, violations);
        }
        EventKind::FalsePositiveDetermination { reason, note: text } => {
            if *reason == FalsePositiveReason::Unspecified {
                violations.add(field("false_positive_determination.type"), "type must not be unspecified");
            }
            note("false_positive_determination", text, violations);
        }
        EventKind::AnalysisNotPlanned { note: text } => note("analysis_not_planned", text, violations),
        EventKind::FixNotPlanned { note: text } => note("fix_not_planned", text, violations),
        EventKind::PendingUpstreamFix { note: text } => note("pending_upstream_fix", text, violations),
        EventKind::Patched { versions, note: text } => {
            let versions_field = field("patched.patched_versions");
            if versions.is_empty() {
                violations.add(versions_field.as_str(), "patched_versions must have at least one entry");
            }
            texts::each(&versions_field, versions, MAX_VERSIONS, violations, |field, version, violations| {
                required(field, version, SHORT, violations);
            });
            note("patched", text, violations);
        }
        EventKind::ComponentLocationChanged { previous, new, note: text } => {
            optional(&field("component_location_changed.previous_location"), previous, LONG, violations);
            required(&field("component_location_changed.new_location"), new, LONG, violations);
            note("component_location_changed", text, violations);
        }
    }
}

fn check_detection(detection: &Detection, field: &str, violations: &mut Violations) {
    match detection {
        Detection::Unknown => violations.add(field, "exactly one of nvdapi, manual and scanv1 is required"),
        Detection::Manual => {}
        Detection::Nvd(NvdMatch { searched, found }) => {
            optional(&format!("{field}.nvdapi.cpe_searched"), searched, LONG, violations);
            optional(&format!("{field}.nvdapi.cpe_found"), found, LONG, violations);
        }
        Detection::Scan(scan) => check_scan(scan, &format!("{field}.scanv1"), violations),
    }
}

fn check_scan(scan: &Scan, field: &str, violations: &mut Violations) {
    let Scan {
        scanner,
        subpackage,
        component_id,
        component,
        component_version,
        component_type,
        component_location,
        artifact_version,
        scanner_version,
        database_built,
        database_checksum,
    } = scan;
    for (name, text, max) in [
        ("scanner", scanner, SHORT),
        ("subpackage_name", subpackage, SHORT),
        ("component_id", component_id, SHORT),
        ("component_name", component, SHORT),
        ("component_version", component_version, SHORT),
        ("component_type", component_type, SHORT),
        ("component_location", component_location, LONG),
        ("artifact_version", artifact_version, SHORT),
        ("scanner_version", scanner_version, SHORT),
        ("grype_db_built", database_built, SHORT),
        ("grype_db_checksum", database_checksum, SHORT),
    ] {
        optional(&format!("{field}.{name}"), text, max, violations);
    }
}

/// Judges how much all events of an advisory take.
///
/// # Errors
/// Invalid argument when that is too much.
pub(crate) fn check_size(events: &[AdvisoryEvent]) -> Result<()> {
    let bytes = serde_json::to_vec(events).map_err(Error::internal)?.len();
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let description =
        format!("events of an advisory must take at most {MAX_BYTES} bytes together as text, and these take {bytes}");
    Err(Error::field("events", description))
}
