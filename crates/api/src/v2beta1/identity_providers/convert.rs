//! Identity providers between the wire and the domain.

use domain::iam::{CorrelationRule, IdentityProvider, IdentityProviderSpec};
use prost_types::FieldMask;
use services::iam::identity_providers::SecretChange;

use crate::{mask, mirror, time};

crate::identity_provider::identity_providers!(contract::chainguard::platform::iam::v2beta1);

/// An identity provider for an answer, without its SCIM access.
pub(crate) fn to_wire(provider: &IdentityProvider) -> wire::IdentityProvider {
    wire::IdentityProvider {
        uid: provider.uid.to_string(),
        create_time: Some(time::to_wire(provider.created_at)),
        update_time: Some(time::to_wire(provider.updated_at)),
        ..spec_to_wire(&provider.spec)
    }
}

/// What is there, in the words of the wish where that says the same of the correlation rule: it never changes, and who repeats it may
/// call it otherwise.
pub(super) fn current_to_wire(
    wished: &wire::IdentityProvider,
) -> impl Fn(&IdentityProviderSpec) -> wire::IdentityProvider + use<> {
    let rule = match &wished.configuration {
        Some(Configuration::Oidc(oidc)) => WireRule::try_from(oidc.correlation_rule).unwrap_or_default(),
        None => WireRule::default(),
    };
    let rule = <CorrelationRule as mirror::Mirror<WireRule>>::from_wire(rule);
    move |spec| {
        let mut spec = spec.clone();
        if rule.means(spec.oidc.correlation_rule) {
            spec.oidc.correlation_rule = rule;
        }
        spec_to_wire(&spec)
    }
}

/// What an update makes of the secret. An empty one stays, unless the mask names it.
pub(super) fn secret_change(wished: &wire::IdentityProvider, mask: Option<&FieldMask>) -> SecretChange {
    const SECRET: &str = "oidc.client_secret";
    match secret(wished) {
        Some(secret) if mask::reaches(mask, SECRET) => SecretChange::Set(secret),
        None if mask::names(mask, SECRET) => SecretChange::Clear,
        _ => SecretChange::Keep,
    }
}
