//! Identities. A new relationship has a mark of its own, which revokes the identity's tokens, and ends its sessions; who stops being a part of the platform
//! is no longer bound as that. When it was last seen, an update leaves as it is.

use database::{Fault, Param, Row};
use domain::{
    Error, Kind, Noun, Result, Rule, Timestamp, Uidp,
    iam::{
        AccessRequest, Identity, IdentitySpec, Relationship, RelationshipType, RoleBinding, ServicePrincipal,
        identity::{new_relationship_revision, user_uid},
    },
};

use crate::{
    Reader, Writer,
    counts::placeholders,
    iam::{account_associations, groups},
    list::{Filter, Term},
    rows, sessions,
    table::{self, Column, Columns, Declared, Entity, Values, WithParent, int, its_fields, text},
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
    type Row = Identity;

    fn terms(&self) -> Vec<Term> {
        let name = self.name.iter().map(|name| Term::few("name", name));
        let kind = self.relationship_type.iter().map(|kind| Term::tested("relationship_type", kind.as_str()));
        name.chain(kind).collect()
    }
}

/// What is declared of identities.
pub(crate) static DECLARED: Declared =
    Declared::new::<Identity>("identities", COLUMNS, &groups::DECLARED, WithParent::Keeps("child identities"));

const COLUMNS: &[Column] = &[
    text("name"),
    text("description"),
    text("company"),
    text("email").of_rights_since(2),
    text("email_unverified").of_rights_since(2),
    text("relationship_type").for_conditions(),
    text("relationship").of_rights(),
    // A restore draws it anew, and has the feed keep that: whoever sets it back has tokens that were revoked be good again.
    int("relationship_revision").of_rights_since(2),
    int("last_seen_at").left_alone(),
];

impl Entity for Identity {
    const NOUN: Noun = Noun::Identity;

    its_fields!();

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

    fn name(&self) -> &str {
        self.spec.name.as_str()
    }

    async fn before_update(self, tx: &mut Writer, from: &Self) -> Result<Self> {
        let proves_otherwise = from.spec.relationship != self.spec.relationship;
        if proves_otherwise && from.spec.relationship.service_principal().is_some() {
            account_associations::unbind(tx, &from.uid).await?;
        }
        if proves_otherwise {
            sessions::end_all(tx, &from.uid).await?;
        }
        let relationship_revision =
            if proves_otherwise { new_relationship_revision(&*tx.ctx().entropy)? } else { from.relationship_revision };
        Ok(Self { relationship_revision, last_seen_at: from.last_seen_at, ..self })
    }

    async fn before_delete(tx: &mut Writer, uid: &Uidp) -> Result<()> {
        table::remove::<AccessRequest>(tx, "identity", uid).await?;
        table::remove::<RoleBinding>(tx, "identity", uid).await.map(drop)
    }

    async fn after_delete(&self, tx: &mut Writer) -> Result<()> {
        if self.spec.relationship.service_principal().is_some() {
            account_associations::unbind(tx, &self.uid).await?;
        }
        Ok(())
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

/// The user that `issuer` calls `subject`, if it has registered.
///
/// # Errors
/// Internal when the storage fails.
pub async fn find_user(reader: &mut Reader, issuer: &str, subject: &str) -> Result<Option<Identity>> {
    rows::get(reader, &user_uid(issuer, subject)).await
}

/// The mark of the identity's relationship, if it exists: what its tokens are compared with.
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

/// Ends all tokens of all identities: after a restore, none that was revoked since the backup is good again.
pub(crate) async fn end_all_tokens(tx: &mut Writer) -> Result<()> {
    let revision = new_relationship_revision(&*tx.ctx().entropy)?;
    tx.send("UPDATE identities SET relationship_revision = $1", &[revision.into()]).await
}

/// Notes an exchange, unless a later one is known. It is no change of the identity: its revision stays.
pub(crate) async fn seen(tx: &mut Writer, uid: &Uidp, at: Timestamp) -> Result<()> {
    tx.send("UPDATE identities SET last_seen_at = $2 WHERE uid = $1 AND last_seen_at < $2", &[uid.into(), at.into()]).await
}
