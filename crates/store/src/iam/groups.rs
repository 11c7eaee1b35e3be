//! Groups.

use database::{Fault, word};
use domain::{
    Error, Kind, Noun, Result, Rule, Uidp,
    iam::{Group, GroupSpec, OrgKind, OrgStatus},
};

use crate::{
    Reader, Writer,
    list::{self, Filter, ListQuery, Listed, Term},
    table::{self, Column, Columns, Declared, Entity, EventGroup, Stamp, Values, WithParent, bool, text},
};

/// Which groups to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupFilter {
    /// Only those with this name.
    pub name: Option<String>,
}

impl Filter for GroupFilter {
    fn terms(&self) -> Vec<Term> {
        self.name.iter().map(|name| Term::few("name", name)).collect()
    }
}

/// What is declared of groups.
pub(crate) static DECLARED: Declared =
    Declared::new::<Group>(Noun::Group, "groups", COLUMNS, &DECLARED, WithParent::Keeps("child groups"))
        .counting_itself()
        .with_events_of(EventGroup::Itself);

const COLUMNS: &[Column] = &[text("name"), text("description"), bool("verified"), text("kind"), text("status")];

impl Entity for Group {
    fn declared() -> &'static Declared {
        &DECLARED
    }

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
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        let GroupSpec { name, description, verified, kind } = &self.spec;
        values.add(name.as_str()).add(description.as_str()).add(*verified).word(kind)?.word(&self.status)?;
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

/// The group, if it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get(reader: &mut Reader, uid: &Uidp) -> Result<Option<Group>> {
    table::get(reader, uid).await
}

/// A page of groups.
///
/// # Errors
/// Invalid argument when the query asks for what no list offers; internal when the storage fails.
pub async fn list(reader: &mut Reader, query: &ListQuery<GroupFilter>) -> Result<Listed<Group>> {
    list::page(reader, query).await
}

/// Adds a group; answers it as stored. A folder takes kind and status from its organization.
///
/// # Errors
/// Not found when its parent does not exist; already exists when it is verified and another verified organization has
/// its name; internal when the storage fails.
pub async fn insert(tx: &mut Writer, group: &Group) -> Result<Group> {
    let Some(parent) = group.uid.parent() else { return table::insert(tx, group.clone()).await };
    let parent = get(tx, &parent).await?.ok_or_else(|| Error::not_found(Noun::Group, parent.as_str()))?;
    let mut group = group.clone();
    (group.spec.kind, group.status) = (parent.spec.kind, parent.status);
    table::insert_in(tx, &parent.uid, group).await
}

/// Changes a group as the write has read it to another value; answers it as stored. An organization passes kind and status on
/// to its folders; a folder keeps its organization's.
///
/// # Errors
/// Already exists as in [`insert`]; internal when the storage fails.
pub async fn update(tx: &mut Writer, from: &Group, to: &Group) -> Result<Group> {
    let mut to = to.clone();
    if !to.uid.is_root() {
        (to.spec.kind, to.status) = (from.spec.kind, from.status);
    }
    let group = table::update(tx, from, to).await?;
    if group.uid.is_root() && (group.spec.kind, group.status) != (from.spec.kind, from.status) {
        pass_on(tx, &group.uid, group.spec.kind, group.status).await?;
    }
    Ok(group)
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
        table::changed(tx, &folder, &folder);
    }
    Ok(())
}

/// Removes a group together with what goes with it. Answers whether it existed.
///
/// # Errors
/// Failed precondition while something lives in it that keeps it; internal when the storage fails.
pub async fn delete(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
    Ok(table::delete::<Group>(tx, uid).await?.is_some())
}
