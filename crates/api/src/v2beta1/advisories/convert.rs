//! Advisories for answers.

use contract::chainguard::platform::vulnerabilities::v2beta1 as wire;
use domain::vulnerabilities::{AdvisoryEvent, AdvisoryView};

use crate::{advisory, time};

/// An advisory for an answer. Events that this version has no word for are left out.
pub(crate) fn to_wire(view: &AdvisoryView) -> wire::Advisory {
    let AdvisoryView { advisory, severities } = view;
    let spec = advisory.spec.clone();
    wire::Advisory {
        uid: advisory.uid.to_string(),
        advisory_id: advisory.public_id().to_string(),
        create_time: Some(time::to_wire(advisory.created_at)),
        update_time: Some(time::to_wire(advisory.updated_at)),
        delete_time: advisory.withdrawn_at.map(time::to_wire),
        author: spec.author,
        artifact_name: spec.artifact_name,
        artifact_type: spec.artifact_type,
        artifact_architecture: spec.artifact_architecture,
        component_name: spec.component_name.unwrap_or_default(),
        component_location: spec.component_location.unwrap_or_default(),
        component_type: spec.component_type.unwrap_or_default(),
        aliases: spec.aliases,
        events: advisory.events.iter().filter_map(event).collect(),
        legacy_advisory_id: spec.legacy_id,
        severities: advisory::severities(severities, |r#type, score| wire::Severity { r#type, score }),
    }
}

fn event(event: &AdvisoryEvent) -> Option<wire::AdvisoryEvent> {
    Some(wire::AdvisoryEvent {
        uid: event.uid.to_string(),
        create_time: Some(time::to_wire(event.at)),
        findings: event.findings.0.clone().into(),
        author: event.author.clone(),
        reviewer: event.reviewer.clone(),
        review_state: event.review.number(),
        issue: event.issue.clone(),
        r#type: Some(advisory::v2beta1::kind(&event.kind)?),
    })
}
