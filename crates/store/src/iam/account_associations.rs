//! Account associations: one row for a group at most, under the group's own identifier.

use database::Fault;
use domain::{
    Error, Kind, Noun, Result, Rule, Uidp,
    error::Detail,
    iam::{AccountAssociation, AccountAssociationSpec},
};

use crate::{
    Writer,
    iam::groups,
    list::{Filter, Term},
    rows,
    table::{self, Column, Columns, Declared, Entity, Values, WithParent, its_fields, text},
};

/// Which account associations to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountAssociationFilter {
    /// Only those with this name.
    pub name: Option<String>,
}

impl Filter for AccountAssociationFilter {
    type Row = AccountAssociation;

    fn terms(&self) -> Vec<Term> {
        self.name.iter().map(|name| Term::few("name", name)).collect()
    }
}

/// What is declared of account associations.
pub(crate) static DECLARED: Declared = Declared::new::<AccountAssociation>(
    "account_associations",
    COLUMNS,
    &groups::DECLARED,
    WithParent::Goes(table::go_with::<AccountAssociation>),
)
.sharing_its_uid();

const COLUMNS: &[Column] =
    &[text("name"), text("description"), text("amazon"), text("google"), text("azure"), text("service_bindings"), text("github")];

impl Entity for AccountAssociation {
    const NOUN: Noun = Noun::AccountAssociation;

    its_fields!();

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

    fn name(&self) -> &str {
        self.spec.name.as_str()
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

/// Takes the identity, which goes or becomes something else, out of the service bindings of its group. A map that has nothing left
/// goes as well.
pub(super) async fn unbind(tx: &mut Writer, identity: &Uidp) -> Result<()> {
    let Some(group) = identity.parent() else { return Ok(()) };
    let Some(from) = rows::get::<AccountAssociation>(tx, &group).await? else { return Ok(()) };
    let mut to = from.clone();
    if let Some(bindings) = &mut to.spec.service_bindings {
        bindings.retain(|_, binding| binding.identity != *identity);
    }
    to.spec.service_bindings = to.spec.service_bindings.filter(|bindings| !bindings.is_empty());
    if to.spec != from.spec {
        rows::update(tx, &from, &to).await?;
    }
    Ok(())
}
