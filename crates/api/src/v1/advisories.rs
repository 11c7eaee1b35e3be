//! Advisories, v1: here they are written, and reviewed.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::vulnerabilities::v1::{
        self as wire, AdvisoriesList, AdvisoryEventFilter, AdvisoryEventList, AdvisoryFilter, CreateAdvisoryEventRequest,
        CreateAdvisoryRequest, DeleteAdvisoryRequest, EventTypeFilter, OrderBy, ReviewStatus, rpc,
    },
};
use domain::{
    Ctx, Error, ListRequest, Order, OrderField, Patch, Result, Rule, Uidp, Violations,
    error::Violation,
    vulnerabilities::{Advisory, AdvisorySpec},
};
use services::{
    Advisories,
    vulnerabilities::advisories::{self, ALIASES, UPDATED_AT, WITHDRAWN_AT},
};

use crate::{
    advisory,
    endpoint::{Endpoint, answer, naming, on},
    list, uidp,
};

mod convert;

/// The RPCs of advisories.
pub(crate) fn endpoints(advisories: &Advisories) -> Vec<Endpoint> {
    vec![
        naming(own_name, rpc::Create, advisories, create),
        naming(own_name, rpc::Update, advisories, update),
        on(rpc::List, advisories, list),
        on(rpc::Delete, advisories, delete),
        naming(own_name, rpc::CreateAdvisoryEvent, advisories, create_event),
        on(rpc::ListAdvisoryEvents, advisories, list_events),
        on(rpc::UpdateAdvisoryEvent, advisories, update_event),
    ]
}

/// How this version calls fields that use cases name.
fn own_name(path: &str) -> Option<String> {
    match path {
        "parent" => Some("parent_id".to_owned()),
        "legacy_advisory_id" => Some("legacyAdvisoryID".to_owned()),
        _ => None,
    }
}

async fn create(advisories: Arc<Advisories>, ctx: Arc<Ctx>, request: CreateAdvisoryRequest) -> Result<Reply<wire::Advisory>> {
    let mut violations = Violations::default();
    let parent = uidp::parse("parent_id", &request.parent_id, &mut violations);
    let mut advisory = request.advisory.unwrap_or_default();
    let events = std::mem::take(&mut advisory.events).into_iter().enumerate();
    let events: Vec<_> =
        events.map(|(index, event)| convert::draft(&format!("events[{index}]."), event, &mut violations)).collect();
    let parent = violations.finish(parent)?;
    Ok(answer(&ctx, &advisories.create(&ctx, &parent, convert::spec(advisory), events).await?, convert::to_wire))
}

/// Who wrote the advisory stays where that is not said.
async fn update(advisories: Arc<Advisories>, ctx: Arc<Ctx>, advisory: wire::Advisory) -> Result<Reply<wire::Advisory>> {
    let uid = uidp::one("id", &advisory.id)?;
    let wish = convert::spec(advisory);
    let patch: Patch<AdvisorySpec> = Arc::new(move |current: &AdvisorySpec| {
        let mut wish = wish.clone();
        if wish.author.is_empty() {
            wish.author.clone_from(&current.author);
        }
        Ok(wish)
    });
    Ok(answer(&ctx, &advisories.update(&ctx, &uid, patch).await?, convert::to_wire))
}

async fn delete(advisories: Arc<Advisories>, ctx: Arc<Ctx>, request: DeleteAdvisoryRequest) -> Result<()> {
    advisories.withdraw(&ctx, &uidp::one("id", &request.id)?).await
}

async fn create_event(
    advisories: Arc<Advisories>,
    ctx: Arc<Ctx>,
    request: CreateAdvisoryEventRequest,
) -> Result<Reply<wire::AdvisoryEvent>> {
    let mut violations = Violations::default();
    let advisory = uidp::parse("parent_id", &request.parent_id, &mut violations);
    let draft = convert::draft("", request.advisory_event.unwrap_or_default(), &mut violations);
    let advisory = violations.finish(advisory)?;
    let (advisory, event) = advisories.record(&ctx, &advisory, draft).await?;
    one_of(&ctx, &advisory, &event)
}

async fn update_event(
    advisories: Arc<Advisories>,
    ctx: Arc<Ctx>,
    event: wire::AdvisoryEvent,
) -> Result<Reply<wire::AdvisoryEvent>> {
    let mut violations = Violations::default();
    let uid = uidp::parse("id", &event.id, &mut violations);
    let draft = convert::draft("", event, &mut violations);
    let uid = violations.finish(uid)?;
    one_of(&ctx, &advisories.change_event(&ctx, &uid, draft).await?, &uid)
}

/// An event of the advisory, with the advisory's entity tag.
fn one_of(ctx: &Ctx, advisory: &Advisory, event: &Uidp) -> Result<Reply<wire::AdvisoryEvent>> {
    let found = advisory.events.iter().find(|known| known.uid == *event);
    let found = found.ok_or_else(|| Error::internal(format!("advisory {} has lost event {event}", advisory.uid)))?;
    Ok(answer(ctx, advisory, |_| convert::event(found)))
}

async fn list_events(
    advisories: Arc<Advisories>,
    ctx: Arc<Ctx>,
    request: AdvisoryEventFilter,
) -> Result<Reply<AdvisoryEventList>> {
    let advisory = advisories.events(&uidp::one("parent_id", &request.parent_id)?).await?;
    let list = |advisory: &Advisory| AdvisoryEventList {
        parent_id: advisory.uid.to_string(),
        items: advisory.events.iter().map(convert::event).collect(),
    };
    Ok(answer(&ctx, &advisory, list))
}

async fn list(advisories: Arc<Advisories>, ctx: Arc<Ctx>, request: AdvisoryFilter) -> Result<Reply<AdvisoriesList>> {
    let mut violations = Violations::default();
    let filter = filter(&request, &mut violations);
    let Some(part) = list::part(request.uidp, &request.id, violations)? else {
        return Ok(Reply::from(AdvisoriesList { total_count: Some(0), ..AdvisoriesList::default() }));
    };
    let size = i32::try_from(request.page_size.min(i64::from(i32::MAX))).unwrap_or(-1);
    let order = order(request.order_by)?;
    let page = ListRequest { order, ..ListRequest::parse(part, size, &request.page_token, "", 0)? };
    let part = page.uidp.clone();
    let page = advisories.list(&ctx, page, filter).await?;
    let freshness = advisories.freshness(&ctx, part, page.total).await?;
    let list = AdvisoriesList {
        id: String::new(),
        items: page.items.iter().map(|view| convert::to_wire(&view.advisory)).collect(),
        next_page_token: page.next_page_token,
        total_count: Some(i64::try_from(page.total).unwrap_or(i64::MAX)),
    };
    Ok(advisory::dated(list, freshness))
}

/// What packages are built from which source is not known: each is its own.
fn filter(request: &AdvisoryFilter, violations: &mut Violations) -> advisories::AdvisoryFilter {
    let mut any_of = |field: &str, texts: &[String]| list::any_of(field, texts, violations);
    let names = any_of("artifact_name", &request.artifact_name);
    advisories::AdvisoryFilter {
        advisory_ids: any_of("advisory_ids", &request.advisory_ids),
        legacy_ids: any_of("legacy_advisory_ids", &request.legacy_advisory_ids),
        artifact_names: request.origin.clone().map_or(names, |origin| vec![origin]),
        artifact_types: any_of("artifact_type", &request.artifact_type),
        artifact_architectures: any_of("artifact_architecture", &request.artifact_architecture),
        component_names: any_of("component_name", &request.component_name),
        component_types: any_of("component_type", &request.component_type),
        component_locations: any_of("component_location", &request.component_location),
        aliases: any_of("aliases", &request.aliases),
        event_authors: any_of("event_author", &request.event_author),
        not_event_authors: any_of("exclude_event_author", &request.exclude_event_author),
        event_reviewers: any_of("event_reviewer", &request.event_reviewer),
        review_states: advisory::review_states::<ReviewStatus>("event_statuses", &request.event_statuses, violations),
        event_types: advisory::event_types::<EventTypeFilter>("event_types", &request.event_types, violations),
        latest_event_type: request
            .latest_event_type
            .and_then(|number| advisory::event_type::<EventTypeFilter>("latest_event_type", number, violations)),
        query: String::new(),
        published: false,
        updated_since: None,
    }
}

/// The order of this number.
///
/// # Errors
/// Invalid argument when there is none.
fn order(number: i32) -> Result<Order> {
    let (field, descending) = match OrderBy::try_from(number) {
        Ok(OrderBy::Unspecified | OrderBy::IdAsc) => (OrderField::Uid, false),
        Ok(OrderBy::IdDesc) => (OrderField::Uid, true),
        Ok(OrderBy::CreatedAtAsc) => (OrderField::CreatedAt, false),
        Ok(OrderBy::CreatedAtDesc) => (OrderField::CreatedAt, true),
        Ok(OrderBy::AliasesAsc) => (OrderField::Own(ALIASES), false),
        Ok(OrderBy::AliasesDesc) => (OrderField::Own(ALIASES), true),
        Ok(OrderBy::UpdatedAtAsc) => (OrderField::Own(UPDATED_AT), false),
        Ok(OrderBy::UpdatedAtDesc) => (OrderField::Own(UPDATED_AT), true),
        Ok(OrderBy::DeletedAtAsc) => (OrderField::Own(WITHDRAWN_AT), false),
        Ok(OrderBy::DeletedAtDesc) => (OrderField::Own(WITHDRAWN_AT), true),
        Err(_) => {
            let description = format!("order_by has no value {number}");
            return Err(Error::fields(Rule::OrderBy, vec![Violation { field: "order_by".to_owned(), description }]));
        }
    };
    Ok(Order { field, descending })
}
