//! All nouns with a table of their own.

use domain::{Noun, Result, Uidp};

use crate::{
    BoxFuture, Writer,
    events::subscriptions,
    iam::{account_associations, groups, identities, identity_providers, role_bindings, roles},
    registry::{repos, tags},
    table::{self, Nouns},
    writer::Rules,
};

/// All of them, what others refer to before those: a restore writes in this order.
pub(crate) const NOUNS: Nouns = Nouns(&[
    &groups::DECLARED,
    &repos::DECLARED,
    &tags::DECLARED,
    &identities::DECLARED,
    &roles::DECLARED,
    &role_bindings::DECLARED,
    &identity_providers::DECLARED,
    &account_associations::DECLARED,
    &subscriptions::DECLARED,
]);

/// What a writer asks of them.
pub(crate) const RULES: &Rules = &Rules { empty, event_group: |noun, uid, op| NOUNS.event_group(noun, uid, op) };

/// [`table::empty_of`] among all of them.
fn empty<'a>(tx: &'a mut Writer, of: Noun, uid: &'a Uidp) -> BoxFuture<'a, Result<bool>> {
    Box::pin(table::empty_of(NOUNS, tx, of, uid))
}
