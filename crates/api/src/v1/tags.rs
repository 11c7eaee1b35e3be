//! Tags, v1: a digest may come later, and lists show all forms unless they are left out.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::registry::{
        self as wire, CreateTagRequest, EolTag, EolTagFilter, EolTagList, EolTagStatus, GetRepoTagsSummaryRequest,
        RepoTagsSummary, TagFilter, TagHistory, TagHistoryFilter, TagHistoryList, TagList, rpc,
    },
};
use domain::{
    Ctx, ListRequest, Patch, Result, Violations,
    registry::{Digest, Tag, TagForms, TagName, TagSpec},
};
use services::{Tags, registry::tags};

use crate::{
    endpoint::{Endpoint, answer, naming, on},
    list,
    noun::{deletes, lists_whole},
    time, uidp,
};

/// The RPCs of tags.
pub(crate) fn endpoints(tags: &Tags) -> Vec<Endpoint> {
    vec![
        naming(repo_id, rpc::CreateTag, tags, create),
        on(rpc::UpdateTag, tags, update),
        lists_whole(rpc::ListTags, tags, part, to_wire, |items| TagList { items }),
        deletes(rpc::DeleteTag, tags),
        on(rpc::ListTagHistory, tags, history),
        on(rpc::GetRepoTagsSummary, tags, summary),
        on(rpc::ListEolTags, tags, ends_of_life),
    ]
}

/// What the place of a new tag is called.
fn repo_id(path: &str) -> Option<String> {
    (path == "parent").then(|| "repo_id".to_owned())
}

/// A tag of that name is changed.
async fn create(tags: Arc<Tags>, ctx: Arc<Ctx>, request: CreateTagRequest) -> Result<Reply<wire::Tag>> {
    let repo = uidp::one("repo_id", &request.repo_id)?;
    Ok(answer(&ctx, &tags.upsert(&ctx, &repo, spec_from_wire(request.tag.unwrap_or_default())?).await?, to_wire))
}

/// A digest that is not given stays, and so does a name.
async fn update(tags: Arc<Tags>, ctx: Arc<Ctx>, tag: wire::Tag) -> Result<Reply<wire::Tag>> {
    let uid = uidp::one("id", &tag.id)?;
    let patch: Patch<TagSpec> = Arc::new(move |current: &TagSpec| {
        let mut tag = tag.clone();
        if tag.name.is_empty() {
            tag.name = current.name.to_string();
        }
        let wish = spec_from_wire(tag)?;
        Ok(TagSpec { digest: wish.digest.or_else(|| current.digest.clone()), ..wish })
    });
    Ok(answer(&ctx, &tags.update(&ctx, &uid, patch).await?, to_wire))
}

fn part(request: TagFilter) -> Result<list::Asked<tags::TagFilter>> {
    let mut violations = Violations::default();
    let since = request.updated_since.as_ref();
    let updated_since = since.and_then(|since| time::parse("updated_since", since, &mut violations));
    let forms = forms(request.exclude_referrers, request.exclude_dates, request.exclude_epochs);
    let part = list::part(request.uidp, &request.id, violations)?;
    let filter = tags::TagFilter {
        name: list::filter(&request.name),
        digest: list::filter(&request.digest),
        updated_since,
        forms: Some(forms).filter(|forms| *forms != TagForms::ALL),
    };
    Ok((part, filter))
}

/// The forms that are not left out.
fn forms(referrers: bool, dates: bool, epochs: bool) -> TagForms {
    TagForms { referrer: !referrers, date: !dates, epoch: !epochs }
}

/// The newest first, between two times.
async fn history(tags: Arc<Tags>, _ctx: Arc<Ctx>, request: TagHistoryFilter) -> Result<TagHistoryList> {
    let mut violations = Violations::default();
    let uid = uidp::parse("parent_id", &request.parent_id, &mut violations);
    let mut bound = |field: &str, at: Option<&prost_types::Timestamp>| at.map(|at| time::parse(field, at, &mut violations));
    let (start, end) = (bound("start", request.start.as_ref()), bound("end", request.end.as_ref()));
    let (uid, start, end) = violations.finish(uid.map(|uid| (uid, start.flatten(), end.flatten())))?;
    let found = tags.history(&uid).await?.into_iter().rev();
    let asked = found.filter(|(at, _)| start.is_none_or(|start| *at >= start) && end.is_none_or(|end| *at < end));
    let item = |(at, digest): (_, Digest)| TagHistory { update_timestamp: Some(time::to_wire(at)), digest: digest.to_string() };
    Ok(TagHistoryList { items: asked.map(item).collect() })
}

/// What images are made of is not known: there is no version.
async fn summary(tags: Arc<Tags>, _ctx: Arc<Ctx>, request: GetRepoTagsSummaryRequest) -> Result<RepoTagsSummary> {
    let repo = uidp::one("repo_id", &request.repo_id)?;
    let forms = forms(request.exclude_referrers, request.exclude_dates, request.exclude_epochs);
    let tags::Summary { count, latest } = tags.summary(&repo, forms).await?;
    Ok(RepoTagsSummary {
        id: repo.to_string(),
        tag_count: i64::try_from(count).unwrap_or(i64::MAX),
        last_updated: latest.as_ref().map(|tag| time::to_wire(tag.updated_at)),
        latest_tag: latest.as_ref().map(to_wire),
        latest_version: String::new(),
    })
}

/// What images are made of is not known: a tag is active until it is deprecated, and nothing is said of a package.
async fn ends_of_life(tags: Arc<Tags>, ctx: Arc<Ctx>, request: EolTagFilter) -> Result<EolTagList> {
    let mut violations = Violations::default();
    let part = uidp::filter(request.uidp, &mut violations);
    violations.check()?;
    let size = i32::try_from(request.page_size.min(i64::from(i32::MAX))).unwrap_or(-1);
    let page = ListRequest::parse(part, size, &request.page_token, "", 0)?;
    let forms = forms(false, request.exclude_dates, request.exclude_epochs);
    let filter = tags::TagFilter {
        name: list::filter(&request.name),
        forms: Some(forms).filter(|forms| *forms != TagForms::ALL),
        ..tags::TagFilter::default()
    };
    let page = tags.list(&ctx, page, filter).await?;
    let item = |tag: &Tag| {
        let status = if tag.spec.deprecated { EolTagStatus::TagInactive } else { EolTagStatus::TagActive };
        EolTag { id: tag.uid.to_string(), name: tag.spec.name.to_string(), tag_status: status.into(), ..EolTag::default() }
    };
    Ok(EolTagList { items: page.items.iter().map(item).collect(), next_page_token: page.next_page_token })
}

/// A tag for an answer.
pub(crate) fn to_wire(tag: &Tag) -> wire::Tag {
    wire::Tag {
        id: tag.uid.to_string(),
        name: tag.spec.name.to_string(),
        digest: tag.spec.digest.as_ref().map(ToString::to_string).unwrap_or_default(),
        last_updated: Some(time::to_wire(tag.updated_at)),
        deprecated: tag.spec.deprecated,
        bundles: tag.spec.bundles.clone(),
    }
}

/// What a request says that a tag should be.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
fn spec_from_wire(tag: wire::Tag) -> Result<TagSpec> {
    let mut violations = Violations::default();
    let name = TagName::parse("name", &tag.name, &mut violations);
    let digest = Some(tag.digest.as_str()).filter(|digest| !digest.is_empty());
    let digest = digest.map(|digest| Digest::parse("digest", digest, &mut violations));
    let spec = || Some(TagSpec { name: name?, digest: digest.flatten(), deprecated: tag.deprecated, bundles: tag.bundles });
    violations.finish(spec())
}
