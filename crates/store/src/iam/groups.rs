//! Groups.

use domain::{
    Error, Kind, Noun, Result, Rule, Timestamp, Uidp,
    iam::{Group, GroupSpec, OrgKind, OrgStatus},
};

use crate::{
    Reader, Writer, counts,
    engine::{Fault, Row, word},
    iam::role_bindings,
    list::{self, Entity, Filter, ListQuery, Listed, Term},
    table,
};

/// Which groups to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupFilter {
    /// Only those with this name.
    pub name: Option<String>,
}

impl Filter for GroupFilter {
    fn terms(&self) -> Vec<Term> {
        self.name.iter().map(|name| Term::indexed("name", name)).collect()
    }
}

impl Entity for Group {
    const NOUN: Noun = Noun::Group;
    const TABLE: &'static str = "groups";
    const COLUMNS: &'static str = "uid, name, description, verified, kind, status, created_at, updated_at, revision";

    fn read(row: &Row<'_>) -> Result<Self> {
        Ok(Self {
            uid: row.uidp(0)?,
            spec: GroupSpec { name: row.name(1)?, description: row.description(2)?, verified: row.bool(3)?, kind: row.word(4)? },
            status: row.word(5)?,
            created_at: row.time(6)?,
            updated_at: row.time(7)?,
            revision: row.revision(8)?,
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
    let mut group = group.clone();
    if let Some(parent) = group.uid.parent() {
        let parent = get(tx, &parent).await?.ok_or_else(|| Error::not_found(Noun::Group, parent.as_str()))?;
        (group.spec.kind, group.status) = (parent.spec.kind, parent.status);
    }
    group.revision = tx.revision();
    tx.execute(
        "INSERT INTO groups (uid, parent, org, name, description, verified, kind, status, created_at, updated_at, revision) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        &[
            (&group.uid).into(),
            group.uid.parent_text().into(),
            group.uid.root_text().into(),
            group.spec.name.as_str().into(),
            group.spec.description.as_str().into(),
            group.spec.verified.into(),
            word(&group.spec.kind)?.into(),
            word(&group.status)?.into(),
            group.created_at.into(),
            group.updated_at.into(),
            group.revision.into(),
        ],
    )
    .await
    .map_err(|fault| name_taken(fault, &group))?;
    table::came(tx, &group)?;
    Ok(group)
}

/// Writes what may change of a group; answers it as stored, changed now. An organization passes kind and status on to
/// its folders; a folder keeps its organization's.
///
/// # Errors
/// Not found; already exists as in [`insert`]; internal when the storage fails.
pub async fn update(tx: &mut Writer, group: &Group) -> Result<Group> {
    let stored = get(tx, &group.uid).await?.ok_or_else(|| Error::not_found(Noun::Group, group.uid.as_str()))?;
    let mut group = Group { created_at: stored.created_at, updated_at: tx.now(), revision: tx.revision(), ..group.clone() };
    if !group.uid.is_root() {
        (group.spec.kind, group.status) = (stored.spec.kind, stored.status);
    }
    tx.execute(
        "UPDATE groups SET name = $2, description = $3, verified = $4, kind = $5, status = $6, updated_at = $7, revision = $8 \
         WHERE uid = $1",
        &[
            (&group.uid).into(),
            group.spec.name.as_str().into(),
            group.spec.description.as_str().into(),
            group.spec.verified.into(),
            word(&group.spec.kind)?.into(),
            word(&group.status)?.into(),
            group.updated_at.into(),
            group.revision.into(),
        ],
    )
    .await
    .map_err(|fault| name_taken(fault, &group))?;
    table::changed(tx, &stored, &group);
    if group.uid.is_root() && (group.spec.kind, group.status) != (stored.spec.kind, stored.status) {
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
                Group::COLUMNS
            ),
            &[org.into(), word(&kind)?.into(), word(&status)?.into(), now.into(), revision.into()],
            Group::read,
        )
        .await?;
    for folder in folders {
        table::changed(tx, &folder, &folder);
    }
    Ok(())
}

/// Removes a group together with the role bindings at it. Answers whether it existed.
///
/// # Errors
/// Failed precondition while something lives in it, see [`children`]; internal when the storage fails.
pub async fn delete(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
    if let Some(children) = children(tx, uid).await? {
        return Err(Error::not_empty(Noun::Group, uid.as_str(), children));
    }
    role_bindings::delete_at(tx, uid).await?;
    let gone = !table::remove::<Group>(tx, "uid", uid).await?.is_empty();
    if gone {
        counts::forget(tx, uid)?;
    }
    Ok(gone)
}

/// What lives in the group and keeps it from being deleted, such as `child repos`; `None` when nothing does.
///
/// # Errors
/// Internal when the storage fails.
pub async fn children(reader: &mut Reader, uid: &Uidp) -> Result<Option<&'static str>> {
    const BLOCKERS: [(Noun, u64, &str); 4] = [
        // A group counts itself.
        (Noun::Group, 1, "child groups"),
        (Noun::Repo, 0, "child repos"),
        (Noun::Identity, 0, "child identities"),
        (Noun::Role, 0, "child roles"),
    ];
    for (noun, allowed, children) in BLOCKERS {
        if counts::below(reader, noun, uid.as_str()).await? > allowed {
            return Ok(Some(children));
        }
    }
    Ok(None)
}

/// Refuses a write below a group that does not exist. Roots have no group above them.
pub(crate) async fn must_hold(tx: &mut Writer, child: &Uidp) -> Result<()> {
    let Some(parent) = child.parent() else { return Ok(()) };
    if tx.exists("SELECT uid FROM groups WHERE uid = $1", &[(&parent).into()]).await? {
        return Ok(());
    }
    Err(Error::not_found(Noun::Group, parent.as_str()))
}

fn name_taken(fault: Fault, group: &Group) -> Error {
    match fault {
        Fault::Unique(constraint) if constraint == "groups_name_key" => Error::new(
            Kind::AlreadyExists,
            Rule::NameTaken,
            format!("a verified organization named {} exists; choose another name", group.spec.name),
        )
        .because(constraint),
        other => other.into(),
    }
}
