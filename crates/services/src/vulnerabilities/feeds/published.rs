//! What is published of a document, and of an advisory.

use domain::{
    Timestamp,
    vulnerabilities::{AdvisoryView, DocumentFormat, EventType},
};
use formats::osv;
use serde::{Deserialize, de::IgnoredAny};
use store::vulnerabilities::feeds::{Original, Part};

/// A record that is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Its id.
    pub(super) id: String,
    /// Its bytes.
    pub(super) content: Vec<u8>,
    /// The types of the artifacts that it is about.
    pub(super) kinds: Vec<String>,
}

/// Whether feeds of records have what was approved as this: not where nothing is affected.
fn is_shown(latest: Option<EventType>) -> bool {
    latest.is_some_and(|latest| latest != EventType::FalsePositiveDetermination)
}

/// What is published of the document: all of it as it came, where all of it is approved and stands.
pub(super) fn record(original: Original) -> Option<Record> {
    #[derive(Deserialize)]
    struct Says {
        withdrawn: Option<IgnoredAny>,
    }

    let Original { record: id, content, parts, .. } = original;
    let of = parts.len();
    let changed_at = parts.iter().map(|part| part.updated_at).max()?;
    let shown: Vec<Part> = parts.into_iter().filter(|part| part.is_approved && is_shown(part.latest)).collect();
    let (standing, withdrawn): (Vec<_>, Vec<_>) = shown.into_iter().partition(|part| part.withdrawn_at.is_none());
    let withdrawn_at: Option<Timestamp> = withdrawn.iter().filter_map(|part| part.withdrawn_at).max();
    let (kept, withdrawn_at) = if standing.is_empty() { (withdrawn, withdrawn_at) } else { (standing, None) };
    if kept.is_empty() {
        return None;
    }
    let is_said = || serde_json::from_slice::<Says>(&content).is_ok_and(|says| says.withdrawn.is_some());
    let content = if kept.len() == of && (withdrawn_at.is_none() || is_said()) {
        content
    } else {
        osv::narrow(&content, |package| kept.iter().any(|part| part.package == *package), changed_at, withdrawn_at)?
    };
    Some(Record { id, content, kinds: kept.into_iter().map(|part| part.package.0).collect() })
}

/// What is published of an advisory that came in no such document.
pub(super) fn own(view: &AdvisoryView) -> Option<Record> {
    if !is_shown(view.advisory.latest_event_type()) {
        return None;
    }
    let content = formats::write(DocumentFormat::Osv, view)?;
    let id = view.advisory.public_id().to_string();
    Some(Record { id, content, kinds: vec![view.advisory.spec.artifact_type.clone()] })
}
