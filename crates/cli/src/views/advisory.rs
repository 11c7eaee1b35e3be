//! Advisories and their events.

use contract::chainguard::platform::vulnerabilities::{
    v1::{self, ReviewStatus, advisory_event::Type as Happened},
    v2beta1::{Advisory, AdvisoryEvent, ReviewState, advisory_event::Type, severity},
};
use serde_json::{Value, json};

use super::short;
use crate::output::{Show, time};

impl Show for Advisory {
    const COLUMNS: &'static [&'static str] = &["ID", "ADVISORY", "ARTIFACT", "ALIASES", "STATUS"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        self.advisory_id.clone()
    }

    fn row(&self) -> Vec<String> {
        let artifact = self.artifact_name.clone();
        vec![self.uid.clone(), self.advisory_id.clone(), artifact, self.aliases.join(", "), status(self)]
    }

    fn json(&self) -> Value {
        let severity = |severity: &contract::chainguard::platform::vulnerabilities::v2beta1::Severity| {
            let system = severity::Type::try_from(severity.r#type).unwrap_or_default();
            json!({ "type": short(system.as_str_name(), "TYPE_"), "score": severity.score })
        };
        let event = |event: &AdvisoryEvent| {
            json!({
                "id": event.uid,
                "timestamp": time::wire(event.create_time.as_ref()),
                "type": kind(event.r#type.as_ref()),
                "author": event.author,
                "reviewer": event.reviewer,
                "status": state(event.review_state),
                "issue": event.issue,
            })
        };
        json!({
            "id": self.uid,
            "advisory_id": self.advisory_id,
            "artifact_name": self.artifact_name,
            "artifact_type": self.artifact_type,
            "artifact_architecture": self.artifact_architecture,
            "component_name": self.component_name,
            "component_location": self.component_location,
            "component_type": self.component_type,
            "aliases": self.aliases,
            "author": self.author,
            "created_at": time::wire(self.create_time.as_ref()),
            "updated_at": time::wire(self.update_time.as_ref()),
            "deleted_at": time::wire(self.delete_time.as_ref()),
            "legacyAdvisoryID": self.legacy_advisory_id,
            "severities": self.severities.iter().map(severity).collect::<Vec<_>>(),
            "events": self.events.iter().map(event).collect::<Vec<_>>(),
        })
    }
}

/// What its latest approved event says.
fn status(advisory: &Advisory) -> String {
    if advisory.delete_time.is_some() {
        return "withdrawn".to_owned();
    }
    let approved = |event: &&AdvisoryEvent| event.review_state == i32::from(ReviewState::Approved);
    advisory.events.iter().rev().find(approved).map(|event| kind(event.r#type.as_ref()).to_owned()).unwrap_or_default()
}

fn kind(kind: Option<&Type>) -> &'static str {
    match kind {
        None => "",
        Some(Type::Detection(_)) => "detection",
        Some(Type::Fixed(_)) => "fixed",
        Some(Type::FalsePositiveDetermination(_)) => "false_positive_determination",
        Some(Type::AnalysisNotPlanned(_)) => "analysis_not_planned",
        Some(Type::FixNotPlanned(_)) => "fix_not_planned",
        Some(Type::PendingUpstreamFix(_)) => "pending_upstream_fix",
        Some(Type::TruePositiveDetermination(_)) => "true_positive_determination",
        Some(Type::Patched(_)) => "patched",
    }
}

fn state(number: i32) -> String {
    let state = ReviewState::try_from(number).unwrap_or_default();
    short(state.as_str_name(), "REVIEW_STATE_").to_lowercase()
}

impl Show for v1::AdvisoryEvent {
    const COLUMNS: &'static [&'static str] = &["ID", "TIME", "TYPE", "AUTHOR", "REVIEWER", "STATUS"];

    fn id(&self) -> &str {
        &self.id
    }

    fn row(&self) -> Vec<String> {
        let at = time::wire(self.timestamp.as_ref()).unwrap_or_default();
        let (author, reviewer) = (self.author.clone(), self.reviewer.clone());
        vec![self.id.clone(), at, happened(self).to_owned(), author, reviewer, status_of(self)]
    }

    fn json(&self) -> Value {
        json!({
            "id": self.id,
            "timestamp": time::wire(self.timestamp.as_ref()),
            "type": happened(self),
            "note": note(self),
            "author": self.author,
            "reviewer": self.reviewer,
            "status": status_of(self),
            "issue": self.issue,
        })
    }
}

fn status_of(event: &v1::AdvisoryEvent) -> String {
    ReviewStatus::try_from(event.status).unwrap_or_default().as_str_name().to_lowercase()
}

fn happened(event: &v1::AdvisoryEvent) -> &'static str {
    match &event.r#type {
        None => "",
        Some(Happened::Detection(_)) => "detection",
        Some(Happened::Fixed(_)) => "fixed",
        Some(Happened::FalsePositiveDetermination(_)) => "false_positive_determination",
        Some(Happened::AnalysisNotPlanned(_)) => "analysis_not_planned",
        Some(Happened::FixNotPlanned(_)) => "fix_not_planned",
        Some(Happened::PendingUpstreamFix(_)) => "pending_upstream_fix",
        Some(Happened::TruePositiveDetermination(_)) => "true_positive_determination",
        Some(Happened::Patched(_)) => "patched",
        Some(Happened::ComponentLocationChanged(_)) => "component_location_changed",
    }
}

/// What readers should know.
fn note(event: &v1::AdvisoryEvent) -> &str {
    match &event.r#type {
        None | Some(Happened::Detection(_)) => "",
        Some(Happened::Fixed(fixed)) => &fixed.note,
        Some(Happened::FalsePositiveDetermination(determination)) => &determination.note,
        Some(Happened::AnalysisNotPlanned(planned)) => &planned.note,
        Some(Happened::FixNotPlanned(planned)) => &planned.note,
        Some(Happened::PendingUpstreamFix(fix)) => &fix.note,
        Some(Happened::TruePositiveDetermination(determination)) => &determination.note,
        Some(Happened::Patched(patched)) => &patched.note,
        Some(Happened::ComponentLocationChanged(moved)) => &moved.note,
    }
}
