//! What holds for every tag.

use domain::{Result, Violations, registry::TagSpec};

use crate::registry::repos::check_bundles;

/// Judges what no type of `domain` limits.
///
/// # Errors
/// Invalid argument for bundles that no catalogue has.
pub(super) fn check(spec: &TagSpec) -> Result<()> {
    let mut violations = Violations::default();
    check_bundles(&spec.bundles, &mut violations);
    violations.check()
}
