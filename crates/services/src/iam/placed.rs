//! Where new things go.

use domain::{Ctx, Error, Noun, Result, Uidp, iam::Group};
use store::{Reader, iam::groups};

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

/// The group that something is to live in, with the limits of its organization.
///
/// # Errors
/// Not found.
pub(crate) async fn home(reader: &mut Reader, group: &Uidp) -> Result<Group> {
    groups::home(reader, group).await?.ok_or_else(|| Error::not_found(Noun::Group, group.as_str()))
}
