//! Identity providers.

use database::Fault;
use domain::{
    Error, Noun, Result, Rule, Sealed, Uidp,
    iam::{Group, IdentityProvider, IdentityProviderSpec, Oidc},
};

use crate::{
    Reader, Writer,
    iam::groups,
    list::{self, Filter, ListQuery, Listed, Term},
    table::{self, Column, Columns, Declared, Entity, Stamp, Values, WithParent, text},
};

/// Which identity providers to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdentityProviderFilter {
    /// Only those with this name.
    pub name: Option<String>,
}

impl Filter for IdentityProviderFilter {
    fn terms(&self) -> Vec<Term> {
        self.name.iter().map(|name| Term::few("name", name)).collect()
    }
}

/// What is declared of identity providers.
pub(crate) static DECLARED: Declared = Declared::new::<IdentityProvider>(
    Noun::IdentityProvider,
    "identity_providers",
    COLUMNS,
    &groups::DECLARED,
    WithParent::Keeps("identity providers"),
);

const COLUMNS: &[Column] = &[text("name"), text("description"), text("default_role"), text("oidc"), text("client_secret")];

impl Entity for IdentityProvider {
    fn declared() -> &'static Declared {
        &DECLARED
    }

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: IdentityProviderSpec {
                name: columns.name()?,
                description: columns.description()?,
                default_role: columns.uidp()?,
                oidc: {
                    let oidc: Oidc = columns.json()?;
                    Oidc { client_secret: columns.opt_string()?.map(Sealed::trusted), ..oidc }
                },
            },
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        let IdentityProviderSpec { name, description, default_role, oidc } = &self.spec;
        values.add(name.as_str()).add(description.as_str()).add(default_role).json(oidc)?;
        values.add(oidc.client_secret.as_ref().map(Sealed::as_str));
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
            Fault::Reference => {
                let description = "the default role of the identity provider does not exist";
                Error::precondition(Rule::NoSuchResource, "NO_SUCH_RESOURCE", self.uid.as_str(), description)
            }
            other => other.into(),
        }
    }
}

/// The identity provider, if it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get(reader: &mut Reader, uid: &Uidp) -> Result<Option<IdentityProvider>> {
    table::get(reader, uid).await
}

/// A page of identity providers.
///
/// # Errors
/// Invalid argument when the query asks for what no list offers; internal when the storage fails.
pub async fn list(reader: &mut Reader, query: &ListQuery<IdentityProviderFilter>) -> Result<Listed<IdentityProvider>> {
    list::page(reader, query).await
}

/// Adds an identity provider; answers it as stored.
///
/// # Errors
/// Not found when its group does not exist; failed precondition when its default role does not; internal when the storage fails.
pub async fn insert(tx: &mut Writer, provider: &IdentityProvider) -> Result<IdentityProvider> {
    table::insert(tx, provider.clone()).await
}

/// Adds an identity provider to a group that the write has read; answers it as stored.
///
/// # Errors
/// Failed precondition when its default role does not exist; internal when the storage fails.
pub async fn insert_in(tx: &mut Writer, group: &Group, provider: &IdentityProvider) -> Result<IdentityProvider> {
    table::insert_in(tx, &group.uid, provider.clone()).await
}

/// Changes an identity provider as the write has read it to another value; answers it as stored.
///
/// # Errors
/// Failed precondition when its default role does not exist; internal when the storage fails.
pub async fn update(tx: &mut Writer, from: &IdentityProvider, to: &IdentityProvider) -> Result<IdentityProvider> {
    table::update(tx, from, to.clone()).await
}

/// Removes an identity provider. Answers whether it existed.
///
/// # Errors
/// Internal when the storage fails.
pub async fn delete(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
    Ok(table::delete::<IdentityProvider>(tx, uid).await?.is_some())
}
