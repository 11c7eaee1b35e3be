//! Tags, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::registry::v2beta1::{
        CreateTagRequest, DeleteTagRequest, GetTagRequest, ListTagsRequest, ListTagsResponse, Tag, rpc,
    },
};
use domain::{Ctx, Result, Violations, registry::TagForms};
use services::{Tags, registry::tags::TagFilter};

use crate::{
    endpoint::{Endpoint, on, tagged},
    list, time, uidp,
};

pub(crate) mod convert;

/// The RPCs of tags.
pub(crate) fn endpoints(tags: &Tags) -> Vec<Endpoint> {
    vec![
        on(rpc::GetTag, tags, get),
        on(rpc::ListTags, tags, list),
        on(rpc::CreateTag, tags, create),
        on(rpc::DeleteTag, tags, delete),
    ]
}

async fn get(tags: Arc<Tags>, ctx: Arc<Ctx>, request: GetTagRequest) -> Result<Reply<Tag>> {
    Ok(answer(&tags.get(&ctx, &uidp::one("uid", &request.uid)?).await?))
}

/// Tags of referrers, of days and of builds are left out unless they are asked for.
async fn list(tags: Arc<Tags>, ctx: Arc<Ctx>, request: ListTagsRequest) -> Result<ListTagsResponse> {
    let mut violations = Violations::default();
    let since = request.updated_since.as_ref();
    let shown = TagForms { referrer: request.include_referrers, date: request.include_dates, epoch: request.include_epochs };
    let filter = TagFilter {
        name: list::filter(&request.name),
        digest: list::filter(&request.digest),
        updated_since: since.and_then(|since| time::parse("updated_since", since, &mut violations)),
        forms: Some(shown).filter(|shown| *shown != TagForms::ALL),
    };
    let page = tags.list(&ctx, list::parse(&request, violations)?, filter).await?;
    Ok(list::answer(page, convert::to_wire))
}

/// A tag of that name is changed.
async fn create(tags: Arc<Tags>, ctx: Arc<Ctx>, request: CreateTagRequest) -> Result<Reply<Tag>> {
    let parent = uidp::one("parent", &request.parent)?;
    let spec = convert::spec_from_wire(contract::mask::writable(&request.tag.unwrap_or_default()))?;
    Ok(answer(&tags.upsert(&ctx, &parent, spec).await?))
}

async fn delete(tags: Arc<Tags>, ctx: Arc<Ctx>, request: DeleteTagRequest) -> Result<()> {
    tags.delete(&ctx, &uidp::one("uid", &request.uid)?).await
}

/// The resource with its entity tag.
fn answer(tag: &domain::registry::Tag) -> Reply<Tag> {
    tagged(convert::to_wire(tag), tag.revision)
}
