//! What may be bound where, and by whom.

use domain::{
    Ctx, Error, Result, Rule, Uidp,
    error::Violation,
    iam::{Identity, Role, RoleBindingSpec},
};
use store::{Reader, rows};

use crate::grants::require_grantable;

/// Judges a binding at the group `at`, which exists. `prefix` leads to the binding's fields in the request.
///
/// What is absent and what belongs elsewhere get the same answer, so that nobody learns of other organizations.
///
/// # Errors
/// Invalid argument for an identity that is neither of this organization nor a user, and for a role that is neither
/// built in nor of this group or one above it. Permission denied when the role has a capability that the caller does
/// not hold at `at`.
pub(crate) async fn check(ctx: &Ctx, reader: &mut Reader, at: &Uidp, spec: &RoleBindingSpec, prefix: &str) -> Result<()> {
    let mut violations = Vec::new();
    if !identity_fits(reader, at, &spec.identity).await? {
        violations.push(Violation {
            field: format!("{prefix}identity"),
            description: "identity must name an identity of the same organization, or a registered user".to_owned(),
        });
    }
    let role = role_for(reader, at, &spec.role).await?;
    if role.is_none() {
        violations.push(Violation {
            field: format!("{prefix}role"),
            description: "role must name a built-in role, or a role of the same group or one above it".to_owned(),
        });
    }
    match role {
        Some(role) if violations.is_empty() => require_grantable(ctx, &role.spec.capabilities, at),
        _ => Err(Error::fields(Rule::OtherOrganization, violations)),
    }
}

/// Whether the identity is of the organization of `at`, or a user, and exists.
async fn identity_fits(reader: &mut Reader, at: &Uidp, identity: &Uidp) -> Result<bool> {
    let may_fit = identity.is_root() || identity.root_text() == at.root_text();
    Ok(may_fit && rows::get::<Identity>(reader, identity).await?.is_some())
}

/// The role, if it exists and may be given at `at`.
///
/// # Errors
/// Internal when the storage fails.
pub(crate) async fn role_for(reader: &mut Reader, at: &Uidp, role: &Uidp) -> Result<Option<Role>> {
    let may_fit = role.parent().is_none_or(|group| group.contains(at));
    if may_fit { rows::get::<Role>(reader, role).await } else { Ok(None) }
}
