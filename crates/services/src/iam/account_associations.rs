//! Account associations: which accounts at other providers belong to a group.

mod create;
mod rules;
mod update;

use domain::{Result, Uidp, iam::AccountAssociation};
use store::{ListQuery, Listed, Reader, Writer, iam::account_associations};

pub use store::iam::account_associations::AccountAssociationFilter;

use crate::nouns::{Noun, Nouns};

/// The use cases of account associations, each named by its group. There is no error when one that is to be deleted does not exist.
pub type AccountAssociations = Nouns<AccountAssociation>;

impl Noun for AccountAssociation {
    const NOUN: domain::Noun = domain::Noun::AccountAssociation;
    const MAY_BE_GONE: bool = true;
    const DELETION_HAS_BODY: bool = false;

    type Answer = Self;
    type Filter = AccountAssociationFilter;
    type Needs = ();

    async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        account_associations::get(reader, uid).await
    }

    async fn show(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        account_associations::get(reader, uid).await
    }

    async fn list(reader: &mut Reader, query: &ListQuery<AccountAssociationFilter>) -> Result<Listed<Self>> {
        account_associations::list(reader, query).await
    }

    async fn remove(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
        account_associations::delete(tx, uid).await
    }
}
