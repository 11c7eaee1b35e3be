//! Overlays, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::registry::v2beta1::{CreateOverlayRequest, Overlay, rpc},
};
use domain::{Ctx, Result};
use services::{Overlays, registry::overlays::OverlayFilter};

use crate::{
    endpoint::{Endpoint, answer, on},
    list,
    noun::{deletes, gets, lists},
    uidp,
};

pub(crate) mod convert;

/// The RPCs of overlays.
pub(crate) fn endpoints(overlays: &Overlays) -> Vec<Endpoint> {
    vec![
        gets(rpc::GetOverlay, overlays, |request| &request.uid, convert::to_wire),
        lists(rpc::ListOverlays, overlays, |request, _| OverlayFilter { name: list::filter(&request.name) }, convert::to_wire),
        on(rpc::CreateOverlay, overlays, create),
        deletes(rpc::DeleteOverlay, overlays),
    ]
}

async fn create(overlays: Arc<Overlays>, ctx: Arc<Ctx>, request: CreateOverlayRequest) -> Result<Reply<Overlay>> {
    let parent = uidp::one("parent", &request.parent)?;
    let spec = convert::spec_from_wire(contract::mask::writable(&request.overlay.unwrap_or_default()))?;
    Ok(answer(&ctx, &overlays.create(&ctx, &parent, spec).await?, convert::to_wire))
}
