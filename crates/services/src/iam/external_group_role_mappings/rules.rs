//! What holds for every external group role mapping.

use domain::{Ctx, Error, Result, Rule, Uidp, Violations, error::Violation, iam::ExternalGroupRoleMappingSpec};
use store::Reader;

use crate::{grants::require_grantable, iam::role_bindings::role_for, texts};

/// Judges the name of the outside group. Whether the provider has such a group, only the provider knows.
///
/// # Errors
/// Invalid argument for a name that is absent, too long or not of one line.
pub(super) fn check(spec: &ExternalGroupRoleMappingSpec) -> Result<()> {
    let mut violations = Violations::default();
    texts::required("external_group_id", &spec.external_group_id, texts::SHORT, &mut violations);
    violations.check()
}

/// Judges the role that members get at `organization`: it is handed out as by a binding.
///
/// # Errors
/// Invalid argument for a role that is neither built in nor of the organization; permission denied when it has a capability that the
/// caller does not hold there.
pub(super) async fn check_role(ctx: &Ctx, reader: &mut Reader, organization: &Uidp, role: &Uidp) -> Result<()> {
    if let Some(role) = role_for(reader, organization, role).await? {
        return require_grantable(ctx, &role.spec.capabilities, organization);
    }
    let description = "role must name a built-in role, or a role of the organization".to_owned();
    Err(Error::fields(Rule::OtherOrganization, vec![Violation { field: "role".to_owned(), description }]))
}
