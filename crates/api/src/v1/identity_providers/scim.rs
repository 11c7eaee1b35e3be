//! SCIM tokens of identity providers, v1.

crate::scim::scim!(contract::chainguard::platform::iam, identity_provider_id);
