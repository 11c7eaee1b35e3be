//! Identity providers between the wire and the domain.

use domain::iam::IdentityProvider;

crate::identity_provider::identity_providers!(contract::chainguard::platform::iam);

/// An identity provider for an answer, without its SCIM access.
pub(crate) fn to_wire(provider: &IdentityProvider) -> wire::IdentityProvider {
    wire::IdentityProvider { id: provider.uid.to_string(), ..spec_to_wire(&provider.spec) }
}
