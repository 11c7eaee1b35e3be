//! Writing OSV.

use domain::vulnerabilities::{AdvisoryView, EventKind, Fixed, SeveritySystem};
use serde_json::{Map, Value, json};

use super::{OWN, ecosystems};
use crate::{record, time};

/// The version of the schema that documents keep to.
const VERSION: &str = "1.7.0";

/// The advisory as a record. Only approved events count; without one, nothing is known but that the vulnerability was found.
pub(crate) fn write(view: &AdvisoryView) -> Option<Value> {
    let advisory = &view.advisory;
    let spec = &advisory.spec;
    let verdict = record::verdict(advisory);
    let mut affected = Map::new();
    if let Some(ecosystem) = ecosystems::of(&spec.artifact_type) {
        affected.insert("package".to_owned(), json!({ "ecosystem": ecosystem, "name": spec.artifact_name }));
    }
    let range = |events: Value| json!([{ "type": "ECOSYSTEM", "events": events }]);
    match &verdict.kind {
        // What is not affected has no range.
        EventKind::FalsePositiveDetermination { .. } => {}
        EventKind::Fixed(Fixed { version, .. }) => {
            affected.insert("ranges".to_owned(), range(json!([{ "introduced": "0" }, { "fixed": version }])));
        }
        EventKind::Patched { versions, .. } => {
            let first = versions.first().cloned().unwrap_or_default();
            affected.insert("ranges".to_owned(), range(json!([{ "introduced": "0" }, { "fixed": first }])));
        }
        _ => {
            affected.insert("ranges".to_owned(), range(json!([{ "introduced": "0" }])));
        }
    }
    let own = json!({
        "artifact_type": spec.artifact_type,
        "artifact_name": spec.artifact_name,
        "artifact_architecture": spec.artifact_architecture,
        "event": verdict.kind,
    });
    affected.insert("database_specific".to_owned(), json!({ (OWN): own }));
    let severity = |severity: &domain::vulnerabilities::Severity| {
        let system = match severity.system {
            SeveritySystem::CvssV2 => "CVSS_V2",
            SeveritySystem::CvssV3 => "CVSS_V3",
            SeveritySystem::CvssV4 => "CVSS_V4",
            SeveritySystem::Ubuntu => "Ubuntu",
        };
        json!({ "type": system, "score": severity.score })
    };
    let mut document = json!({
        "schema_version": VERSION,
        "id": advisory.public_id(),
        "modified": time::write(advisory.updated_at),
        "published": time::write(advisory.created_at),
    });
    let fields = document.as_object_mut()?;
    if let Some(at) = advisory.withdrawn_at {
        fields.insert("withdrawn".to_owned(), time::write(at).into());
    }
    let mut aliases = Vec::<&String>::new();
    for alias in &spec.aliases {
        if !aliases.contains(&alias) {
            aliases.push(alias);
        }
    }
    fields.insert("aliases".to_owned(), json!(aliases));
    fields.insert("affected".to_owned(), json!([affected]));
    if !view.severities.is_empty() {
        fields.insert("severity".to_owned(), view.severities.iter().map(severity).collect());
    }
    Some(document)
}
