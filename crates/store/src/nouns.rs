//! All nouns with a table of their own.

use crate::{
    iam::{groups, identities, role_bindings, roles},
    registry::{repos, tags},
    table::Nouns,
};

/// All of them, what others refer to before those: a restore writes in this order.
pub(crate) const NOUNS: Nouns = Nouns(&[
    &groups::DECLARED,
    &repos::DECLARED,
    &tags::DECLARED,
    &identities::DECLARED,
    &roles::DECLARED,
    &role_bindings::DECLARED,
]);
