//! Where new things go.

use domain::{Ctx, Error, Result, Uidp};

/// A new identifier below `parent`.
///
/// # Errors
/// Invalid argument when the tree would become deeper than identifiers may be long.
pub(crate) fn child_of(ctx: &Ctx, parent: &Uidp) -> Result<Uidp> {
    if parent.as_str().len() + 1 + Uidp::CHILD_LEN > Uidp::MAX_LEN {
        return Err(Error::field("parent", "parent is at the deepest level that the tree may have"));
    }
    ctx.entropy.child_uidp(parent)
}
