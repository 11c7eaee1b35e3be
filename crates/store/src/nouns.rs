//! All nouns with a table of their own.

use domain::{Noun, Result, Uidp};

use crate::{
    BoxFuture, Writer,
    iam::{groups, identities, role_bindings, roles},
    registry::repos,
    table::{self, Nouns},
};

/// All of them, what others refer to before those: a restore writes in this order.
pub(crate) const NOUNS: Nouns =
    Nouns(&[&groups::DECLARED, &repos::DECLARED, &identities::DECLARED, &roles::DECLARED, &role_bindings::DECLARED]);

/// [`table::empty_of`] among all of them, for [`Writer::empty`].
pub(crate) fn empty<'a>(tx: &'a mut Writer, of: Noun, uid: &'a Uidp) -> BoxFuture<'a, Result<()>> {
    Box::pin(table::empty_of(NOUNS, tx, of, uid))
}
