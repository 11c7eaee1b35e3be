//! Advisories, v2beta1: they can only be read.

use contract::chainguard::platform::vulnerabilities::v2beta1::{EventTypeFilter, ListAdvisoriesRequest, ReviewState, rpc};
use domain::Violations;
use services::{Advisories, vulnerabilities::advisories::AdvisoryFilter};

use crate::{
    advisory,
    endpoint::Endpoint,
    list,
    noun::{gets, lists},
};

pub(crate) mod convert;

/// The RPCs of advisories.
pub(crate) fn endpoints(advisories: &Advisories) -> Vec<Endpoint> {
    vec![
        gets(rpc::GetAdvisory, advisories, |request| &request.uid, convert::to_wire),
        lists(rpc::ListAdvisories, advisories, filter, convert::to_wire),
    ]
}

/// What packages are built from which source is not known: each is its own.
fn filter(request: &ListAdvisoriesRequest, violations: &mut Violations) -> AdvisoryFilter {
    let mut any_of = |field: &str, texts: &[String]| list::any_of(field, texts, violations);
    let names = any_of("artifact_names", &request.artifact_names);
    AdvisoryFilter {
        advisory_ids: any_of("advisory_ids", &request.advisory_ids),
        legacy_ids: any_of("legacy_advisory_ids", &request.legacy_advisory_ids),
        artifact_names: request.origin.clone().map_or(names, |origin| vec![origin]),
        artifact_types: any_of("artifact_types", &request.artifact_types),
        artifact_architectures: any_of("artifact_architectures", &request.artifact_architectures),
        component_names: any_of("component_names", &request.component_names),
        component_types: any_of("component_types", &request.component_types),
        component_locations: any_of("component_locations", &request.component_locations),
        aliases: any_of("aliases", &request.aliases),
        event_authors: any_of("event_authors", &request.event_authors),
        not_event_authors: any_of("exclude_event_authors", &request.exclude_event_authors),
        event_reviewers: any_of("event_reviewers", &request.event_reviewers),
        review_states: advisory::review_states::<ReviewState>("event_review_states", &request.event_review_states, violations),
        event_types: advisory::event_types::<EventTypeFilter>("event_types", &request.event_types, violations),
        latest_event_type: request
            .latest_event_type
            .and_then(|number| advisory::event_type::<EventTypeFilter>("latest_event_type", number, violations)),
        query: list::query("query", &request.query, violations),
        published: false,
    }
}
