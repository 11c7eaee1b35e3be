//! Roles, v1: their shape.

use contract::chainguard::platform::iam as wire;
use domain::{CapabilitySet, iam::Role};

/// A role for an answer.
pub(crate) fn to_wire(role: &Role) -> wire::Role {
    wire::Role {
        id: role.uid.to_string(),
        name: role.spec.name.to_string(),
        description: role.spec.description.to_string(),
        capabilities: capabilities_to_wire(&role.spec.capabilities),
    }
}

/// Capabilities by dotted name.
pub(crate) fn capabilities_to_wire(capabilities: &CapabilitySet) -> Vec<String> {
    capabilities.names().into_iter().map(str::to_owned).collect()
}
