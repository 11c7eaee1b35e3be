//! Identities.

use domain::{
    Error, Kind, Noun, Result, Rule, Timestamp, Uidp,
    iam::{Identity, IdentitySpec, RelationshipType, identity::user_uid},
};

use crate::{
    Reader, Writer,
    engine::{Fault, Row, json},
    iam::{groups, role_bindings},
    list::{self, Entity, Filter, ListQuery, Listed, Term},
    table,
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
        let name = self.name.iter().map(|name| Term::indexed("name", name));
        let kind = self.relationship_type.iter().map(|kind| Term::tested("relationship_type", kind.as_str()));
        name.chain(kind).collect()
    }
}

impl Entity for Identity {
    const NOUN: Noun = Noun::Identity;
    const TABLE: &'static str = "identities";
    const COLUMNS: &'static str = "uid, name, description, company, email, email_unverified, relationship, \
                                   relationship_revision, last_seen_at, created_at, updated_at, revision";

    fn read(row: &Row<'_>) -> Result<Self> {
        Ok(Self {
            uid: row.uidp(0)?,
            spec: IdentitySpec {
                name: row.name(1)?,
                description: row.description(2)?,
                company: row.string(3)?,
                relationship: row.json(6)?,
            },
            email: row.opt_string(4)?,
            email_unverified: row.opt_string(5)?,
            relationship_revision: row.int(7)?,
            last_seen_at: row.time(8)?,
            created_at: row.time(9)?,
            updated_at: row.time(10)?,
            revision: row.revision(11)?,
        })
    }

    fn uid(&self) -> &Uidp {
        &self.uid
    }

    fn name(&self) -> &str {
        self.spec.name.as_str()
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
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
    groups::must_hold(tx, &identity.uid).await?;
    let identity = Identity { revision: tx.revision(), ..identity.clone() };
    tx.execute(
        "INSERT INTO identities (uid, parent, org, name, description, company, email, email_unverified, relationship_type, \
         relationship, relationship_revision, last_seen_at, created_at, updated_at, revision) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
        &[
            (&identity.uid).into(),
            identity.uid.parent_text().into(),
            identity.uid.root_text().into(),
            identity.spec.name.as_str().into(),
            identity.spec.description.as_str().into(),
            (&identity.spec.company).into(),
            identity.email.as_ref().into(),
            identity.email_unverified.as_ref().into(),
            identity.spec.relationship.kind().as_str().into(),
            json(&identity.spec.relationship)?.into(),
            identity.relationship_revision.into(),
            identity.last_seen_at.into(),
            identity.created_at.into(),
            identity.updated_at.into(),
            identity.revision.into(),
        ],
    )
    .await
    .map_err(|fault| exists(fault, &identity.uid))?;
    table::came(tx, &identity)?;
    Ok(identity)
}

/// Writes what may change of an identity; answers it as stored, changed now. A new relationship counts its revision up,
/// which revokes the identity's tokens. When it was last seen is left as it is.
///
/// # Errors
/// Not found; internal when the storage fails.
pub async fn update(tx: &mut Writer, identity: &Identity) -> Result<Identity> {
    let stored = get(tx, &identity.uid).await?.ok_or_else(|| Error::not_found(Noun::Identity, identity.uid.as_str()))?;
    let proves_otherwise = stored.spec.relationship != identity.spec.relationship;
    let identity = Identity {
        relationship_revision: stored.relationship_revision + i64::from(proves_otherwise),
        last_seen_at: stored.last_seen_at,
        created_at: stored.created_at,
        updated_at: tx.now(),
        revision: tx.revision(),
        ..identity.clone()
    };
    tx.execute(
        "UPDATE identities SET name = $2, description = $3, company = $4, email = $5, email_unverified = $6, \
         relationship_type = $7, relationship = $8, relationship_revision = $9, updated_at = $10, revision = $11 WHERE uid = $1",
        &[
            (&identity.uid).into(),
            identity.spec.name.as_str().into(),
            identity.spec.description.as_str().into(),
            (&identity.spec.company).into(),
            identity.email.as_ref().into(),
            identity.email_unverified.as_ref().into(),
            identity.spec.relationship.kind().as_str().into(),
            json(&identity.spec.relationship)?.into(),
            identity.relationship_revision.into(),
            identity.updated_at.into(),
            identity.revision.into(),
        ],
    )
    .await?;
    table::changed(tx, &stored, &identity);
    Ok(identity)
}

/// Removes an identity together with its role bindings. Answers whether it existed.
///
/// # Errors
/// Internal when the storage fails.
pub async fn delete(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
    role_bindings::delete_of(tx, uid).await?;
    Ok(!table::remove::<Identity>(tx, "uid", uid).await?.is_empty())
}

/// Notes an exchange, unless a later one is known. It is no change of the identity: its revision stays.
pub(crate) async fn seen(tx: &mut Writer, uid: &Uidp, at: Timestamp) -> Result<()> {
    tx.send("UPDATE identities SET last_seen_at = $2 WHERE uid = $1 AND last_seen_at < $2", &[uid.into(), at.into()]).await
}

fn exists(fault: Fault, uid: &Uidp) -> Error {
    match fault {
        Fault::Unique(constraint) if constraint == "identities_pkey" => {
            Error::new(Kind::AlreadyExists, Rule::NameTaken, format!("identity {uid} exists already; read or update it"))
                .because(constraint)
        }
        other => other.into(),
    }
}
