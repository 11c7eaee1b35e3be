//! Groups. A folder has kind and status from its organization, which passes on what changes.

use database::{Fault, Index, Param, Row, word};
use domain::{
    Error, Kind, Noun, Result, Rule, Uidp,
    iam::{Group, GroupSpec, OrgKind, OrgStatus, ResourceLimits},
};

use crate::{
    Reader, Writer,
    counts::{self, placeholders},
    list::{Filter, Term},
    table::{self, Column, Columns, Declared, Entity, EventGroup, Values, WithParent, bool, its_fields, text},
};

/// Which groups to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupFilter {
    /// Only those with this name.
    pub name: Option<String>,
}

impl Filter for GroupFilter {
    type Row = Group;

    fn terms(&self) -> Vec<Term> {
        self.name.iter().map(|name| Term::few("name", name)).collect()
    }
}

/// What is declared of groups.
pub(crate) static DECLARED: Declared = Declared::new::<Group>("groups", COLUMNS, &DECLARED, WithParent::Keeps("child groups"))
    .counting_itself()
    .with_limits()
    .with_events_of(EventGroup::Itself);

const COLUMNS: &[Column] = &[
    text("name"),
    text("description"),
    bool("verified").of_rights_since(2),
    text("kind"),
    text("status"),
    bool("public").of_rights_since(2),
    text("resource_limits").of_rights_since(2),
];

impl Entity for Group {
    const NOUN: Noun = Noun::Group;

    its_fields!();

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: GroupSpec {
                name: columns.name()?,
                description: columns.description()?,
                verified: columns.bool()?,
                kind: columns.word()?,
            },
            status: columns.word()?,
            public: columns.bool()?,
            resource_limits: columns.json()?,
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        let GroupSpec { name, description, verified, kind } = &self.spec;
        values.add(name.as_str()).add(description.as_str()).add(*verified).word(kind)?.word(&self.status)?.add(self.public);
        values.json(&self.resource_limits)?;
        Ok(())
    }

    fn name(&self) -> &str {
        self.spec.name.as_str()
    }

    async fn before_insert(mut self, tx: &mut Writer) -> Result<Self> {
        let Some(parent) = self.uid.parent() else { return Ok(self) };
        let parent = home(tx, &parent).await?.ok_or_else(|| Error::not_found(Noun::Group, parent.as_str()))?;
        table::check_room::<Self>(tx, &self.uid, &parent.resource_limits).await?;
        (self.spec.kind, self.status) = (parent.spec.kind, parent.status);
        Ok(self)
    }

    async fn before_update(mut self, _tx: &mut Writer, from: &Self) -> Result<Self> {
        if !self.uid.is_root() {
            (self.spec.kind, self.status) = (from.spec.kind, from.status);
        }
        Ok(self)
    }

    async fn after_update(&self, tx: &mut Writer, from: &Self) -> Result<()> {
        if self.uid.is_root() && (self.spec.kind, self.status) != (from.spec.kind, from.status) {
            pass_on(tx, &self.uid, self.spec.kind, self.status).await?;
        }
        Ok(())
    }

    fn resource_limits(&self) -> Option<&ResourceLimits> {
        Some(&self.resource_limits)
    }

    fn refused(&self, fault: Fault) -> Error {
        match fault {
            Fault::Unique(constraint) if constraint == "groups_name_key" => Error::new(
                Kind::AlreadyExists,
                Rule::NameTaken,
                format!("a verified organization named {} exists; choose another name", self.spec.name),
            )
            .because(constraint),
            other => other.into(),
        }
    }
}

/// The verified organization of this name, if there is one: no two have the same.
///
/// # Errors
/// Internal when the storage fails.
pub async fn verified(reader: &mut Reader, name: &str) -> Result<Option<Group>> {
    let columns = &DECLARED.statements().columns;
    let sql = format!("SELECT {columns} FROM groups WHERE name = $1 AND parent = '/' AND verified = $2");
    reader.query_one(&sql, &[name.into(), true.into()], |row| Group::read(&mut Columns::of(row, 0))).await
}

/// The nearest group above that is public, if one is.
///
/// # Errors
/// Internal when the storage fails.
pub async fn public_above(reader: &mut Reader, uid: &Uidp) -> Result<Option<Uidp>> {
    let above: Vec<_> = std::iter::successors(uid.parent(), Uidp::parent).collect();
    if above.is_empty() {
        return Ok(None);
    }
    let mut params: Vec<Param<'_>> = vec![true.into()];
    params.extend(above.iter().map(Param::from));
    let among = placeholders(2, above.len());
    let sql = format!("SELECT uid FROM groups WHERE public = $1 AND uid IN ({among}) ORDER BY length(uid) DESC LIMIT 1");
    reader.query_one(&sql, &params, |row| Columns::of(row, 0).uidp()).await
}

/// A group that something is to live in, with the limits of its organization in place of its own.
///
/// # Errors
/// Internal when the storage fails.
pub async fn home(reader: &mut Reader, uid: &Uidp) -> Result<Option<Group>> {
    let columns = DECLARED.statements().columns_of("g");
    let sql = format!("SELECT {columns}, o.resource_limits FROM groups g JOIN groups o ON o.uid = g.org WHERE g.uid = $1");
    let read = |row: &Row<'_>| {
        let mut columns = Columns::of(row, 0);
        let group = Group::read(&mut columns)?;
        Ok(Group { resource_limits: columns.json()?, ..group })
    };
    reader.query_one(&sql, &[uid.into()], read).await
}

/// How many folders an organization has.
///
/// # Errors
/// Internal when the storage fails.
pub async fn folders(reader: &mut Reader, organization: &Uidp) -> Result<u64> {
    counts::in_organization(reader, Noun::Group, organization.as_str()).await
}

/// How much an organization has of what can be limited, by the names of limits.
///
/// # Errors
/// Internal when the storage fails.
pub async fn used(reader: &mut Reader, organization: &Uidp) -> Result<Vec<(&'static str, u64)>> {
    let mut used = Vec::with_capacity(ResourceLimits::NOUNS.len());
    for (name, noun) in ResourceLimits::NOUNS {
        used.push((name, counts::in_organization(reader, noun, organization.as_str()).await?));
    }
    Ok(used)
}

/// The groups that are public, without those that are inside another, by identifier.
///
/// # Errors
/// Internal when the storage fails.
pub async fn public(reader: &mut Reader) -> Result<Vec<Uidp>> {
    let sql = format!("SELECT uid FROM groups{} WHERE public ORDER BY uid", reader.walk(Index::Named("groups", "public")));
    let mut groups = reader.query_map(&sql, &[], |row| row.uidp(0)).await?;
    // In byte order everything inside a group follows it directly.
    groups.dedup_by(|inner, outer| outer.contains(inner));
    Ok(groups)
}

/// Whether everybody may see the group: it is public, or lies in one that is.
///
/// # Errors
/// Internal when the storage fails.
pub async fn is_public(reader: &mut Reader, uid: &Uidp) -> Result<bool> {
    let among: Vec<_> = std::iter::successors(Some(uid.clone()), Uidp::parent).collect();
    let mut params: Vec<Param<'_>> = vec![true.into()];
    params.extend(among.iter().map(Param::from));
    // The group itself has to be there: of one that is not, others learn nothing by what is above it.
    let sql = format!(
        "SELECT 1 FROM groups g WHERE g.public = $1 AND g.uid IN ({}) AND EXISTS (SELECT 1 FROM groups o WHERE o.uid = $2) LIMIT 1",
        placeholders(2, among.len())
    );
    reader.exists(&sql, &params).await
}

/// How many groups of an organization are public by themselves, itself included.
///
/// # Errors
/// Internal when the storage fails.
pub async fn count_public(reader: &mut Reader, organization: &Uidp) -> Result<u64> {
    let walk = reader.walk(Index::Named("groups", "public"));
    let sql = format!("SELECT count(*) FROM groups{walk} WHERE public AND uid >= $1 AND uid < $2");
    // Everything inside has a slash behind it, and the digit 0 follows that.
    let end = format!("{organization}0");
    let count = reader.query_one(&sql, &[organization.into(), end.as_str().into()], |row| row.int(0)).await?;
    Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or_default())
}

/// Gives an organization's kind and status to its folders.
async fn pass_on(tx: &mut Writer, org: &Uidp, kind: OrgKind, status: OrgStatus) -> Result<()> {
    let (now, revision) = (tx.now(), tx.revision());
    let folders = tx
        .query_map(
            &format!(
                "UPDATE groups SET kind = $2, status = $3, updated_at = $4, revision = $5 WHERE org = $1 AND uid <> $1 RETURNING {}",
                DECLARED.statements().columns
            ),
            &[org.into(), word(&kind)?.into(), word(&status)?.into(), now.into(), revision.into()],
            |row| Group::read(&mut Columns::of(row, 0)),
        )
        .await?;
    for folder in folders {
        let mut own = Values::default();
        folder.write(&mut own)?;
        let digest = DECLARED.digest(&folder.uid, &own.0);
        drop(own);
        table::changed(tx, &folder, &folder, digest);
    }
    Ok(())
}
