//! Account associations: which accounts at other providers belong to a group.

mod check;
mod create;
mod rules;
mod update;

use std::sync::Arc;

use domain::{iam::AccountAssociation, ports::TryAccount};

pub use store::iam::account_associations::AccountAssociationFilter;

use crate::nouns::{Noun, Nouns};

/// The use cases of account associations, each named by its group. There is no error when one that is to be deleted does not exist.
pub type AccountAssociations = Nouns<AccountAssociation>;

impl Noun for AccountAssociation {
    const MAY_BE_GONE: bool = true;
    const DELETION_HAS_BODY: bool = false;

    type Answer = Self;
    type Filter = AccountAssociationFilter;
    type Needs = Arc<dyn TryAccount>;
}
