//! Tags, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::registry::v2beta1::{CreateTagRequest, ListTagsRequest, Tag, rpc},
};
use domain::{Ctx, Result, Violations, registry::TagForms};
use services::{Tags, registry::tags::TagFilter};

use crate::{
    endpoint::{Endpoint, answer, on},
    list,
    noun::{deletes, gets, lists},
    time, uidp,
};

pub(crate) mod convert;

/// The RPCs of tags.
pub(crate) fn endpoints(tags: &Tags) -> Vec<Endpoint> {
    vec![
        gets(rpc::GetTag, tags, |request| &request.uid, convert::to_wire),
        lists(rpc::ListTags, tags, filter, convert::to_wire),
        on(rpc::CreateTag, tags, create),
        deletes(rpc::DeleteTag, tags),
    ]
}

/// Tags of referrers, of days and of builds are left out unless they are asked for.
fn filter(request: &ListTagsRequest, violations: &mut Violations) -> TagFilter {
    let since = request.updated_since.as_ref();
    let shown = TagForms { referrer: request.include_referrers, date: request.include_dates, epoch: request.include_epochs };
    TagFilter {
        name: list::filter(&request.name),
        digest: list::filter(&request.digest),
        updated_since: since.and_then(|since| time::parse("updated_since", since, violations)),
        forms: Some(shown).filter(|shown| *shown != TagForms::ALL),
    }
}

/// A tag of that name is changed.
async fn create(tags: Arc<Tags>, ctx: Arc<Ctx>, request: CreateTagRequest) -> Result<Reply<Tag>> {
    let parent = uidp::one("parent", &request.parent)?;
    let spec = convert::spec_from_wire(contract::mask::writable(&request.tag.unwrap_or_default()))?;
    Ok(answer(&ctx, &tags.upsert(&ctx, &parent, spec).await?, convert::to_wire))
}
