//! Account associations: one row for a group at most, under the group's own identifier.

use database::Fault;
use domain::{
    Error, Kind, Noun, Result, Rule, Uidp,
    error::Detail,
    iam::{AccountAssociation, AccountAssociationSpec},
};

use crate::{
    BoxFuture, Reader, Writer,
    iam::groups,
    list::{self, Filter, ListQuery, Listed, Term},
    table::{self, Column, Columns, Declared, Entity, Stamp, Values, WithParent, text},
};

/// Which account associations to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountAssociationFilter {
    /// Only those with this name.
    pub name: Option<String>,
}

impl Filter for AccountAssociationFilter {
    fn terms(&self) -> Vec<Term> {
        self.name.iter().map(|name| Term::few("name", name)).collect()
    }
}

/// What is declared of account associations.
pub(crate) static DECLARED: Declared = Declared::new::<AccountAssociation>(
    Noun::AccountAssociation,
    "account_associations",
    COLUMNS,
    &groups::DECLARED,
    WithParent::Goes(go_with),
)
.sharing_its_uid();

const COLUMNS: &[Column] =
    &[text("name"), text("description"), text("amazon"), text("google"), text("azure"), text("service_bindings"), text("github")];

impl Entity for AccountAssociation {
    fn declared() -> &'static Declared {
        &DECLARED
    }

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: AccountAssociationSpec {
                name: columns.name()?,
                description: columns.description()?,
                amazon: columns.opt_string()?,
                google: columns.opt_json()?,
                azure: columns.opt_json()?,
                service_bindings: columns.opt_json()?,
                github: columns.opt_json()?,
            },
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        let AccountAssociationSpec { name, description, amazon, google, azure, service_bindings, github } = &self.spec;
        values.add(name.as_str()).add(description.as_str()).add(amazon.as_ref());
        values.opt_json(google.as_ref())?.opt_json(azure.as_ref())?;
        values.opt_json(service_bindings.as_ref())?.opt_json(github.as_ref())?;
        Ok(())
    }

    fn uid(&self) -> &Uidp {
        &self.uid
    }

    fn name(&self) -> &str {
        self.spec.name.as_str()
    }

    fn stamp(&self) -> Stamp {
        Stamp { created_at: self.created_at, updated_at: self.updated_at, revision: self.revision }
    }

    fn stamped(self, Stamp { created_at, updated_at, revision }: Stamp) -> Self {
        Self { created_at, updated_at, revision, ..self }
    }

    fn refused(&self, fault: Fault) -> Error {
        match fault {
            Fault::Unique(constraint) if constraint == "account_associations_pkey" => {
                let message = format!("group {} has an account association already; read or update it", self.uid);
                Error::new(Kind::AlreadyExists, Rule::OnePerGroup, message)
                    .with(Detail::Resource { noun: Noun::AccountAssociation, uid: self.uid.to_string() })
                    .because(constraint)
            }
            other => other.into(),
        }
    }
}

/// The account association of the group, if it has one.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get(reader: &mut Reader, group: &Uidp) -> Result<Option<AccountAssociation>> {
    table::get(reader, group).await
}

/// A page of account associations.
///
/// # Errors
/// Invalid argument when the query asks for what no list offers; internal when the storage fails.
pub async fn list(reader: &mut Reader, query: &ListQuery<AccountAssociationFilter>) -> Result<Listed<AccountAssociation>> {
    list::page(reader, query).await
}

/// Adds the account association of a group; answers it as stored.
///
/// # Errors
/// Not found when there is no such group; already exists when it has one; internal when the storage fails.
pub async fn insert(tx: &mut Writer, association: &AccountAssociation) -> Result<AccountAssociation> {
    table::insert(tx, association.clone()).await
}

/// Changes an account association as the write has read it to another value; answers it as stored.
///
/// # Errors
/// Internal when the storage fails.
pub async fn update(tx: &mut Writer, from: &AccountAssociation, to: &AccountAssociation) -> Result<AccountAssociation> {
    table::update(tx, from, to.clone()).await
}

/// Removes the account association of the group. Answers whether it had one.
///
/// # Errors
/// Internal when the storage fails.
pub async fn delete(tx: &mut Writer, group: &Uidp) -> Result<bool> {
    Ok(table::delete::<AccountAssociation>(tx, group).await?.is_some())
}

/// Takes the identity, which goes or becomes something else, out of the service bindings of its group. A map that has nothing left
/// goes as well.
pub(super) async fn unbind(tx: &mut Writer, identity: &Uidp) -> Result<()> {
    let Some(group) = identity.parent() else { return Ok(()) };
    let Some(from) = get(tx, &group).await? else { return Ok(()) };
    let mut to = from.clone();
    if let Some(bindings) = &mut to.spec.service_bindings {
        bindings.retain(|_, binding| binding.identity != *identity);
    }
    to.spec.service_bindings = to.spec.service_bindings.filter(|bindings| !bindings.is_empty());
    if to.spec != from.spec {
        update(tx, &from, &to).await?;
    }
    Ok(())
}

/// Removes the account association of a group that goes.
fn go_with<'a>(tx: &'a mut Writer, group: &'a Uidp) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move { table::remove::<AccountAssociation>(tx, "uid", group).await.map(drop) })
}
