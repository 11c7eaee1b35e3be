//! Overlay bindings, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::registry::v2beta1::{CreateOverlayBindingRequest, ListOverlayBindingsRequest, OverlayBinding, rpc},
};
use domain::{
    Ctx, Result, Violations,
    registry::{OverlayBindingView, TagName},
};
use services::{OverlayBindings, registry::overlay_bindings::OverlayBindingFilter};

use super::overlays::convert;
use crate::{
    endpoint::{Endpoint, answer, on},
    noun::{deletes, gets, lists},
    uidp,
};

/// The RPCs of overlay bindings.
pub(crate) fn endpoints(bindings: &OverlayBindings) -> Vec<Endpoint> {
    vec![
        gets(rpc::GetOverlayBinding, bindings, |request| &request.uid, to_wire),
        lists(rpc::ListOverlayBindings, bindings, filter, to_wire),
        on(rpc::CreateOverlayBinding, bindings, create),
        deletes(rpc::DeleteOverlayBinding, bindings),
    ]
}

fn filter(request: &ListOverlayBindingsRequest, violations: &mut Violations) -> OverlayBindingFilter {
    OverlayBindingFilter { overlay: uidp::optional("overlay", &request.overlay, violations) }
}

async fn create(
    bindings: Arc<OverlayBindings>,
    ctx: Arc<Ctx>,
    request: CreateOverlayBindingRequest,
) -> Result<Reply<OverlayBinding>> {
    let CreateOverlayBindingRequest { parent, overlay, tags } = request;
    let parent = uidp::one("parent", &parent)?;
    let mut violations = Violations::default();
    let tags: Vec<_> =
        (0..).zip(&tags).filter_map(|(i, tag): (usize, _)| TagName::parse(&format!("tags[{i}]"), tag, &mut violations)).collect();
    violations.check()?;
    Ok(answer(&ctx, &bindings.create(&ctx, &parent, &overlay, tags).await?, to_wire))
}

/// An overlay binding for an answer.
pub(crate) fn to_wire(OverlayBindingView { binding, overlay }: &OverlayBindingView) -> OverlayBinding {
    OverlayBinding {
        uid: binding.uid.to_string(),
        repo: binding.uid.parent_text().to_owned(),
        overlay: Some(convert::to_wire(overlay)),
        tags: binding.spec.tags.iter().map(ToString::to_string).collect(),
    }
}
