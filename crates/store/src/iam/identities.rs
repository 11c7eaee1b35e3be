//! Identities.

use database::{Fault, Param, Row};
use domain::{
    Error, Kind, Noun, Result, Rule, Timestamp, Uidp,
    iam::{Identity, IdentitySpec, Relationship, RelationshipType, ServicePrincipal, identity::user_uid},
};

use crate::{
    Reader, Writer,
    counts::placeholders,
    iam::{account_associations, groups, role_bindings},
    list::{self, Filter, ListQuery, Listed, Term},
    table::{self, Column, Columns, Declared, Entity, Stamp, Values, WithParent, int, text},
};

/// Which identities to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdentityFilter {
    /// Only those with this name.
    pub name: Option<String>,
    /// Only those that prove themselves this way.
    pub relationship_type: Option<RelationshipType>,
}

impl Filter for IdentityFilter {
    fn terms(&self) -> Vec<Term> {
        let name = self.name.iter().map(|name| Term::few("name", name));
        let kind = self.relationship_type.iter().map(|kind| Term::tested("relationship_type", kind.as_str()));
        name.chain(kind).collect()
    }
}

/// What is declared of identities.
pub(crate) static DECLARED: Declared =
    Declared::new::<Identity>(Noun::Identity, "identities", COLUMNS, &groups::DECLARED, WithParent::Keeps("child identities"));

const COLUMNS: &[Column] = &[
    text("name"),
    text("description"),
    text("company"),
    text("email"),
    text("email_unverified"),
    text("relationship_type").for_conditions(),
    text("relationship"),
    int("relationship_revision"),
    int("last_seen_at").left_alone(),
];

impl Entity for Identity {
    fn declared() -> &'static Declared {
        &DECLARED
    }

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        let uid = columns.uidp()?;
        let (name, description, company) = (columns.name()?, columns.description()?, columns.string()?);
        Ok(Self {
            uid,
            email: columns.opt_string()?,
            email_unverified: columns.opt_string()?,
            spec: IdentitySpec { name, description, company, relationship: columns.json()? },
            relationship_revision: columns.int()?,
            last_seen_at: columns.time()?,
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        let IdentitySpec { name, description, company, relationship } = &self.spec;
        values.add(name.as_str()).add(description.as_str()).add(company);
        values.add(self.email.as_ref()).add(self.email_unverified.as_ref());
        values.add(relationship.kind().as_str()).json(relationship)?;
        values.add(self.relationship_revision).add(self.last_seen_at);
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
            Fault::Unique(constraint) if constraint == "identities_pkey" => {
                let message = format!("identity {} exists already; read or update it", self.uid);
                Error::new(Kind::AlreadyExists, Rule::NameTaken, message).because(constraint)
            }
            other => other.into(),
        }
    }
}

/// The identity, if it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get(reader: &mut Reader, uid: &Uidp) -> Result<Option<Identity>> {
    table::get(reader, uid).await
}

/// The user that `issuer` calls `subject`, if it has registered.
///
/// # Errors
/// Internal when the storage fails.
pub async fn find_user(reader: &mut Reader, issuer: &str, subject: &str) -> Result<Option<Identity>> {
    get(reader, &user_uid(issuer, subject)).await
}

/// How often the identity's relationship has changed, if it exists: what its tokens are compared with.
///
/// # Errors
/// Internal when the storage fails.
pub async fn relationship_revision(reader: &mut Reader, uid: &Uidp) -> Result<Option<i64>> {
    reader.query_one("SELECT relationship_revision FROM identities WHERE uid = $1", &[uid.into()], |row| row.int(0)).await
}

/// Which of these identities are parts of the platform and live directly in the group, and which part each of them is.
///
/// # Errors
/// Internal when the storage fails.
pub async fn principals(reader: &mut Reader, group: &Uidp, uids: &[&Uidp]) -> Result<Vec<(Uidp, ServicePrincipal)>> {
    let sql = format!(
        "SELECT uid, relationship FROM identities WHERE parent = $1 AND relationship_type = $2 AND uid IN ({})",
        placeholders(3, uids.len())
    );
    let mut params: Vec<Param<'_>> = vec![group.into(), RelationshipType::ServicePrincipal.as_str().into()];
    params.extend(uids.iter().map(|uid| Param::from(*uid)));
    let read = |row: &Row<'_>| Ok((row.uidp(0)?, row.json::<Relationship>(1)?.service_principal()));
    let found = reader.query_map(&sql, &params, read).await?;
    Ok(found.into_iter().filter_map(|(uid, principal)| Some((uid, principal?))).collect())
}

/// A page of identities.
///
/// # Errors
/// Invalid argument when the query asks for what no list offers; internal when the storage fails.
pub async fn list(reader: &mut Reader, query: &ListQuery<IdentityFilter>) -> Result<Listed<Identity>> {
    list::page(reader, query).await
}

/// Adds an identity; answers it as stored.
///
/// # Errors
/// Not found when its group does not exist; already exists when it does; internal when the storage fails.
pub async fn insert(tx: &mut Writer, identity: &Identity) -> Result<Identity> {
    table::insert(tx, identity.clone()).await
}

/// Changes an identity as the write has read it to another value; answers it as stored. A new relationship counts its revision
/// up, which revokes the identity's tokens; who stops being a part of the platform is no longer bound as that. When it was last seen is
/// left as it is.
///
/// # Errors
/// Internal when the storage fails.
pub async fn update(tx: &mut Writer, from: &Identity, to: &Identity) -> Result<Identity> {
    let proves_otherwise = from.spec.relationship != to.spec.relationship;
    let to = Identity {
        relationship_revision: from.relationship_revision + i64::from(proves_otherwise),
        last_seen_at: from.last_seen_at,
        ..to.clone()
    };
    if proves_otherwise && from.spec.relationship.service_principal().is_some() {
        account_associations::unbind(tx, &from.uid).await?;
    }
    table::update(tx, from, to).await
}

/// Removes an identity together with its role bindings and its service binding. Answers whether it existed.
///
/// # Errors
/// Internal when the storage fails.
pub async fn delete(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
    role_bindings::delete_of(tx, uid).await?;
    let gone = table::delete::<Identity>(tx, uid).await?;
    if gone.as_ref().is_some_and(|identity| identity.spec.relationship.service_principal().is_some()) {
        account_associations::unbind(tx, uid).await?;
    }
    Ok(gone.is_some())
}

/// Notes an exchange, unless a later one is known. It is no change of the identity: its revision stays.
pub(crate) async fn seen(tx: &mut Writer, uid: &Uidp, at: Timestamp) -> Result<()> {
    tx.send("UPDATE identities SET last_seen_at = $2 WHERE uid = $1 AND last_seen_at < $2", &[uid.into(), at.into()]).await
}
