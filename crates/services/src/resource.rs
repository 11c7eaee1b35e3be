//! One resource on its way through a use case: found, matched, or not there.

use domain::{Ctx, Error, Result, Uidp};
use store::Reader;

use crate::nouns::Noun;

/// The resource.
///
/// # Errors
/// Not found.
pub(crate) async fn get<N: Noun>(reader: &mut Reader, uid: &Uidp) -> Result<N> {
    N::find(reader, uid).await?.ok_or_else(|| not_found::<N>(uid))
}

/// Whether the request may change or delete what was found.
///
/// # Errors
/// Aborted when `If-Match` names another version; what the noun answers.
pub(crate) fn check<N: Noun>(ctx: &Ctx, row: &N) -> Result<()> {
    row.admit()?;
    ctx.check_match(row.revision())
}

/// The error for a resource that does not exist.
pub(crate) fn not_found<N: Noun>(uid: &Uidp) -> Error {
    Error::not_found(N::NOUN, uid.as_str())
}
