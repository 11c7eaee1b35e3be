//! Advisories, v2beta1: they can only be read.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::vulnerabilities::v2beta1::{
        Advisory, EventTypeFilter, GetAdvisoryRequest, ListAdvisoriesRequest, ListAdvisoriesResponse, ReviewState, rpc,
    },
};
use domain::{Ctx, Result, Violations};
use services::{Advisories, vulnerabilities::advisories::AdvisoryFilter};

use crate::{
    advisory,
    endpoint::{Endpoint, answer, on},
    list, uidp,
};

pub(crate) mod convert;

/// The RPCs of advisories.
pub(crate) fn endpoints(advisories: &Advisories) -> Vec<Endpoint> {
    vec![on(rpc::GetAdvisory, advisories, get), on(rpc::ListAdvisories, advisories, list)]
}

async fn get(advisories: Arc<Advisories>, ctx: Arc<Ctx>, request: GetAdvisoryRequest) -> Result<Reply<Advisory>> {
    let found = advisories.get(&ctx, &uidp::one("uid", &request.uid)?).await?;
    let group = found.advisory.uid.parent();
    let data_age = match &group {
        Some(group) => advisories.age(&ctx, group).await?,
        None => None,
    };
    Ok(Reply { data_age, ..answer(&ctx, &found, convert::to_wire) })
}

async fn list(
    advisories: Arc<Advisories>,
    ctx: Arc<Ctx>,
    request: ListAdvisoriesRequest,
) -> Result<Reply<ListAdvisoriesResponse>> {
    let mut violations = Violations::default();
    let filter = filter(&request, &mut violations);
    let asked = list::parse(&request, "", violations)?;
    let part = asked.uidp.clone();
    let page = advisories.list(&ctx, asked, filter).await?;
    let freshness = advisories.freshness(&ctx, part, page.total).await?;
    Ok(advisory::dated(list::answer(page, convert::to_wire), freshness))
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
        updated_since: None,
    }
}
