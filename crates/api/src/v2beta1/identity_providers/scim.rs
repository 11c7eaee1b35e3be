//! SCIM tokens of identity providers, v2beta1.

crate::scim::scim!(contract::chainguard::platform::iam::v2beta1, identity_provider_uid);
