//! Identity metadata, v1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::events::{IdentityMetadata as Wire, identity_metadata::OnboardingQuestions, rpc},
};
use domain::{
    Ctx, Result,
    iam::{Identity, IdentityMetadata, IdentityMetadataSpec},
};
use services::Identities;

use crate::{
    endpoint::{Endpoint, answer, naming},
    mask,
};

/// The RPC of identity metadata.
pub(crate) fn endpoints(identities: &Identities) -> Vec<Endpoint> {
    vec![naming(name, rpc::UpdateMetadata, identities, update)]
}

async fn update(identities: Arc<Identities>, ctx: Arc<Ctx>, request: Wire) -> Result<Reply<Wire>> {
    let (user, metadata) = identities.update_own_metadata(&ctx, mask::replace(spec_from_wire(request))).await?;
    Ok(answer(&ctx, &metadata, |metadata| to_wire(&user, metadata)))
}

fn to_wire(user: &Identity, metadata: &IdentityMetadata) -> Wire {
    Wire { name: user.spec.name.to_string(), ..spec_to_wire(&metadata.spec) }
}

fn spec_to_wire(spec: &IdentityMetadataSpec) -> Wire {
    let questions = OnboardingQuestions {
        company_name: spec.company.clone(),
        providers: spec.providers.clone(),
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
    };
    Wire { onboarding_questions: Some(questions), updates_opt_in: spec.updates_opt_in, ..Wire::default() }
}

fn spec_from_wire(wire: Wire) -> IdentityMetadataSpec {
    let questions = wire.onboarding_questions.unwrap_or_default();
    IdentityMetadataSpec {
        company: questions.company_name,
        updates_opt_in: wire.updates_opt_in,
        product: questions.product,
        job_title: questions.job_title,
        providers: questions.providers,
        utm_campaign: questions.utm_campaign,
        utm_content: questions.utm_content,
        utm_medium: questions.utm_medium,
        utm_source: questions.utm_source,
        utm_term: questions.utm_term,
        latest_form_submit_url: questions.latest_form_submit_url,
        latest_internal_referring_url: questions.latest_internal_referring_url,
        hubspot_utk: questions.hubspot_utk,
        self_serve: questions.self_serve,
    }
}

/// What a field is called here: all are among the questions, and the company has another name.
#[expect(clippy::unnecessary_wraps, reason = "as other nouns name their fields")]
fn name(path: &str) -> Option<String> {
    let field = if path == "company" { "company_name" } else { path };
    Some(format!("onboarding_questions.{field}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(spec in specs::identity_metadata()) {
            prop_assert_eq!(spec_from_wire(spec_to_wire(&spec)), spec);
        }
    }
}
