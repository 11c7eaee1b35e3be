//! Identity metadata, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::v2beta1::{IdentityMetadata as Wire, UpdateIdentityMetadataRequest, rpc},
};
use domain::{
    Ctx, Patch, Result,
    iam::{Identity, IdentityMetadata, IdentityMetadataSpec},
};
use services::Identities;

use crate::{
    endpoint::{Endpoint, answer, on},
    mask,
};

/// The RPC of identity metadata.
pub(crate) fn endpoints(identities: &Identities) -> Vec<Endpoint> {
    vec![on(rpc::UpdateIdentityMetadata, identities, update)]
}

async fn update(identities: Arc<Identities>, ctx: Arc<Ctx>, request: UpdateIdentityMetadataRequest) -> Result<Reply<Wire>> {
    let wished = request.identity_metadata.unwrap_or_default();
    let masked = mask::patch(wished, request.update_mask, spec_to_wire, |wire| Ok(spec_from_wire(wire)));
    // Providers are unknown to this version, and stay.
    let patch: Patch<IdentityMetadataSpec> =
        Arc::new(move |current| Ok(IdentityMetadataSpec { providers: current.providers.clone(), ..masked(current)? }));
    let (user, metadata) = identities.update_own_metadata(&ctx, patch).await?;
    Ok(answer(&ctx, &metadata, |metadata| to_wire(&user, metadata)))
}

fn to_wire(user: &Identity, metadata: &IdentityMetadata) -> Wire {
    Wire { uid: metadata.uid.to_string(), name: user.spec.name.to_string(), ..spec_to_wire(&metadata.spec) }
}

fn spec_to_wire(spec: &IdentityMetadataSpec) -> Wire {
    Wire {
        company: spec.company.clone(),
        updates_opt_in: spec.updates_opt_in,
        product: spec.product.clone(),
        job_title: spec.job_title.clone(),
        utm_campaign: spec.utm_campaign.clone(),
        utm_content: spec.utm_content.clone(),
        utm_medium: spec.utm_medium.clone(),
        utm_source: spec.utm_source.clone(),
        utm_term: spec.utm_term.clone(),
        latest_form_submit_url: spec.latest_form_submit_url.clone(),
        latest_internal_referring_url: spec.latest_internal_referring_url.clone(),
        hubspot_utk: spec.hubspot_utk.clone(),
        self_serve: spec.self_serve,
        ..Wire::default()
    }
}

fn spec_from_wire(wire: Wire) -> IdentityMetadataSpec {
    IdentityMetadataSpec {
        company: wire.company,
        updates_opt_in: wire.updates_opt_in,
        product: wire.product,
        job_title: wire.job_title,
        providers: Vec::new(),
        utm_campaign: wire.utm_campaign,
        utm_content: wire.utm_content,
        utm_medium: wire.utm_medium,
        utm_source: wire.utm_source,
        utm_term: wire.utm_term,
        latest_form_submit_url: wire.latest_form_submit_url,
        latest_internal_referring_url: wire.latest_internal_referring_url,
        hubspot_utk: wire.hubspot_utk,
        self_serve: wire.self_serve,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(spec in specs::identity_metadata()) {
            let expected = IdentityMetadataSpec { providers: Vec::new(), ..spec.clone() };
            prop_assert_eq!(spec_from_wire(spec_to_wire(&spec)), expected);
        }
    }
}
