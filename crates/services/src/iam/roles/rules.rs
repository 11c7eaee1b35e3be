//! What holds for every custom role.

use domain::{CapabilitySet, Error, Result, Rule, Violations, iam::Role};

use crate::grants::named;

/// Judges what a role would allow: something, and what is internal only beside `internal`.
///
/// # Errors
/// Invalid argument for `capabilities`.
pub(super) fn check_capabilities(capabilities: &CapabilitySet) -> Result<()> {
    let internal = named("internal")?;
    let mut violations = Violations::default();
    if capabilities.is_empty() {
        violations.add("capabilities", "capabilities must have at least one entry");
    }
    if !capabilities.has(internal)
        && let Some(alone) = capabilities.iter().find(|capability| capability.is_internal_only())
    {
        violations.add("capabilities", format!("{alone} is only allowed in a role that also has {internal}"));
    }
    violations.check()
}

/// Refuses to touch a role that comes with the server.
///
/// # Errors
/// Failed precondition.
pub(super) fn check_custom(role: &Role) -> Result<()> {
    if role.is_built_in() {
        let description = format!("the built-in role {} cannot be changed or deleted", role.spec.name);
        return Err(Error::precondition(Rule::BuiltIn, "BUILT_IN", role.uid.as_str(), description));
    }
    Ok(())
}
