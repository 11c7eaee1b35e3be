//! Identity providers.

use database::Fault;
use domain::{
    Error, Noun, Result, Rule, Sealed, Uidp,
    iam::{IdentityProvider, IdentityProviderSpec, Oidc},
};

use crate::{
    Reader, Writer,
    iam::groups,
    list::{Filter, Term},
    table::{Column, Columns, Declared, Entity, Values, WithParent, its_fields, text},
};

/// Which identity providers to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdentityProviderFilter {
    /// Only those with this name.
    pub name: Option<String>,
}

impl Filter for IdentityProviderFilter {
    type Row = IdentityProvider;

    fn terms(&self) -> Vec<Term> {
        self.name.iter().map(|name| Term::few("name", name)).collect()
    }
}

/// What is declared of identity providers.
pub(crate) static DECLARED: Declared =
    Declared::new::<IdentityProvider>("identity_providers", COLUMNS, &groups::DECLARED, WithParent::Keeps("identity providers"));

const COLUMNS: &[Column] = &[
    text("name"),
    text("description"),
    text("default_role").of_rights(),
    text("oidc").of_rights(),
    text("client_secret"),
    text("scim").of_rights(),
    text("issuer").for_conditions(),
    text("client_id").for_conditions(),
];

impl Entity for IdentityProvider {
    const NOUN: Noun = Noun::IdentityProvider;

    its_fields!();

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
            scim: columns.opt_json()?,
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        let IdentityProviderSpec { name, description, default_role, oidc } = &self.spec;
        values.add(name.as_str()).add(description.as_str()).add(default_role).json(oidc)?;
        values.add(oidc.client_secret.as_ref().map(Sealed::as_str)).opt_json(self.scim.as_ref())?;
        values.add(oidc.issuer.as_str()).add(oidc.client_id.as_str());
        Ok(())
    }

    fn name(&self) -> &str {
        self.spec.name.as_str()
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

/// The client secrets of the identity providers behind this identifier, in their order, at most `limit`.
///
/// # Errors
/// Internal when the storage fails.
pub async fn client_secrets(reader: &mut Reader, after: Option<&Uidp>, limit: u32) -> Result<Vec<(Uidp, Sealed)>> {
    let sql =
        "SELECT uid, client_secret FROM identity_providers WHERE uid > $1 AND client_secret IS NOT NULL ORDER BY uid LIMIT $2";
    let params = [after.map_or("", Uidp::as_str).into(), i64::from(limit).into()];
    reader.query_map(sql, &params, |row| Ok((row.uidp(0)?, Sealed::trusted(row.string(1)?)))).await
}

/// Writes the same client secret in other words, unless there is another one by now: nothing of the identity provider changes.
pub(crate) async fn reseal(tx: &mut Writer, uid: &Uidp, from: &Sealed, to: &Sealed) -> Result<()> {
    let sql = "UPDATE identity_providers SET client_secret = $3 WHERE uid = $1 AND client_secret = $2";
    tx.send(sql, &[uid.into(), from.as_str().into(), to.as_str().into()]).await
}

/// Whether people log in with tokens of this issuer, at any organization.
///
/// # Errors
/// Internal when the storage fails.
pub async fn any_of(reader: &mut Reader, issuer: &str) -> Result<bool> {
    reader.exists("SELECT uid FROM identity_providers WHERE issuer = $1 LIMIT 1", &[issuer.into()]).await
}

/// An identity provider that vouches for the people for whom this issuer makes tokens for this client, if any organization has one:
/// the oldest, so that no later one takes over whose sessions end with it.
///
/// # Errors
/// Internal when the storage fails.
pub async fn vouching(reader: &mut Reader, issuer: &str, client: &str) -> Result<Option<Uidp>> {
    let sql = "SELECT uid FROM identity_providers WHERE issuer = $1 AND client_id = $2 ORDER BY created_at, uid LIMIT 1";
    reader.query_one(sql, &[issuer.into(), client.into()], |row| row.uidp(0)).await
}

/// Whether an identity provider still is one for this issuer and this client.
///
/// # Errors
/// Internal when the storage fails.
pub async fn still_vouches(reader: &mut Reader, uid: &Uidp, issuer: &str, client: &str) -> Result<bool> {
    let sql = "SELECT uid FROM identity_providers WHERE uid = $1 AND issuer = $2 AND client_id = $3";
    reader.exists(sql, &[uid.into(), issuer.into(), client.into()]).await
}

/// Whether tokens that this issuer makes for this client are those of people who log in at one organization.
///
/// # Errors
/// Internal when the storage fails.
pub async fn is_client_of(reader: &mut Reader, organization: &Uidp, issuer: &str, client: &str) -> Result<bool> {
    let sql = "SELECT uid FROM identity_providers WHERE issuer = $1 AND client_id = $2 AND parent = $3 LIMIT 1";
    reader.exists(sql, &[issuer.into(), client.into(), organization.into()]).await
}
