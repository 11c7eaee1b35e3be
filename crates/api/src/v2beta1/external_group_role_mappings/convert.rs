//! External group role mappings between the wire and the domain.

use contract::chainguard::platform::iam::v2beta1 as wire;
use domain::{
    Result, Uidp, Violations,
    iam::{ExternalGroupRoleMapping, ExternalGroupRoleMappingSpec},
};

use crate::{time, uidp};

/// An external group role mapping for an answer.
pub(crate) fn to_wire(mapping: &ExternalGroupRoleMapping) -> wire::ExternalGroupRoleMapping {
    wire::ExternalGroupRoleMapping {
        uid: mapping.uid.to_string(),
        identity_provider_uid: mapping.uid.parent_text().to_owned(),
        external_group_id: mapping.spec.external_group_id.clone(),
        role_uid: mapping.spec.role.to_string(),
        scope: mapping.uid.root_text().to_owned(),
        create_time: Some(time::to_wire(mapping.created_at)),
    }
}

/// Where members get the role, and what a request says that the mapping should be; output-only fields are not looked at.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
pub(super) fn spec_from_wire(mapping: wire::ExternalGroupRoleMapping) -> Result<(Uidp, ExternalGroupRoleMappingSpec)> {
    let wire::ExternalGroupRoleMapping { external_group_id, role_uid, scope, .. } = mapping;
    let mut violations = Violations::default();
    if external_group_id.is_empty() {
        violations.add("external_group_id", "external_group_id is required");
    }
    let role = uidp::parse("role_uid", &role_uid, &mut violations);
    let scope = uidp::parse("scope", &scope, &mut violations);
    let spec = || Some((scope?, ExternalGroupRoleMappingSpec { external_group_id, role: role? }));
    violations.finish(spec())
}

/// What a field is called here.
pub(super) fn name(path: &str) -> Option<String> {
    match path {
        "role" => Some("role_uid".to_owned()),
        path => path.strip_prefix("items").map(|rest| format!("names{rest}")),
    }
}
