//! Roles.

use std::{borrow::Cow, ops::ControlFlow};

use domain::{
    CapabilitySet, Error, Noun, Result, Rule, Timestamp, Uidp,
    iam::{Role, RoleSpec},
};

use crate::{
    Reader, Writer,
    engine::{Row, json},
    iam::groups,
    list::{self, Entity, Filter, ListQuery, Listed, Term},
    table,
};

/// Which roles to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleFilter {
    /// Only those with this name.
    pub name: Option<String>,
}

impl Filter for RoleFilter {
    fn terms(&self) -> Vec<Term> {
        self.name.iter().map(|name| Term::indexed("name", name)).collect()
    }
}

impl Entity for Role {
    const NOUN: Noun = Noun::Role;
    const TABLE: &'static str = "roles";
    const COLUMNS: &'static str = "uid, name, description, capabilities, created_at, updated_at, revision";

    fn read(row: &Row<'_>) -> Result<Self> {
        Ok(Self {
            uid: row.uidp(0)?,
            spec: RoleSpec { name: row.name(1)?, description: row.description(2)?, capabilities: capabilities(row, 3)? },
            created_at: row.time(4)?,
            updated_at: row.time(5)?,
            revision: row.revision(6)?,
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

/// Reads capabilities by their names. Those of other versions are passed over.
pub(super) fn capabilities(row: &Row<'_>, column: usize) -> Result<CapabilitySet> {
    let names: Vec<Cow<'_, str>> = row.json(column)?;
    Ok(CapabilitySet::from_names(names.iter().map(AsRef::as_ref)))
}

/// The role, if it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get(reader: &mut Reader, uid: &Uidp) -> Result<Option<Role>> {
    table::get(reader, uid).await
}

/// A page of roles. Set `include_roots` of the query for built-in roles.
///
/// # Errors
/// Invalid argument when the query asks for what no list offers; internal when the storage fails.
pub async fn list(reader: &mut Reader, query: &ListQuery<RoleFilter>) -> Result<Listed<Role>> {
    list::page(reader, query).await
}

/// Adds a role; answers it as stored.
///
/// # Errors
/// Not found when its group does not exist; internal when the storage fails.
pub async fn insert(tx: &mut Writer, role: &Role) -> Result<Role> {
    groups::must_hold(tx, &role.uid).await?;
    let role = Role { revision: tx.revision(), ..role.clone() };
    tx.execute(
        "INSERT INTO roles (uid, parent, org, name, description, capabilities, created_at, updated_at, revision) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        &[
            (&role.uid).into(),
            role.uid.parent_text().into(),
            role.uid.root_text().into(),
            role.spec.name.as_str().into(),
            role.spec.description.as_str().into(),
            json(&role.spec.capabilities)?.into(),
            role.created_at.into(),
            role.updated_at.into(),
            role.revision.into(),
        ],
    )
    .await?;
    table::came(tx, &role)?;
    Ok(role)
}

/// Writes what may change of a role; answers it as stored, changed now.
///
/// # Errors
/// Not found; internal when the storage fails.
pub async fn update(tx: &mut Writer, role: &Role) -> Result<Role> {
    let stored = get(tx, &role.uid).await?.ok_or_else(|| Error::not_found(Noun::Role, role.uid.as_str()))?;
    let role = Role { created_at: stored.created_at, updated_at: tx.now(), revision: tx.revision(), ..role.clone() };
    tx.execute(
        "UPDATE roles SET name = $2, description = $3, capabilities = $4, updated_at = $5, revision = $6 WHERE uid = $1",
        &[
            (&role.uid).into(),
            role.spec.name.as_str().into(),
            role.spec.description.as_str().into(),
            json(&role.spec.capabilities)?.into(),
            role.updated_at.into(),
            role.revision.into(),
        ],
    )
    .await?;
    table::changed(tx, &stored, &role);
    Ok(role)
}

/// Brings a built-in role to what this version of the server says. Answers whether anything changed.
///
/// # Errors
/// Internal when the storage fails.
pub async fn upsert_built_in(tx: &mut Writer, role: &Role) -> Result<bool> {
    match get(tx, &role.uid).await? {
        None => insert(tx, role).await.map(|_| true),
        Some(stored) if stored.spec == role.spec => Ok(false),
        Some(_) => update(tx, role).await.map(|_| true),
    }
}

/// Removes a role. Answers whether it existed.
///
/// # Errors
/// Failed precondition while it is bound; internal when the storage fails.
pub async fn delete(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
    if is_bound(tx, uid).await? {
        let description = "cannot delete role with role bindings";
        return Err(Error::precondition(Rule::RoleBound, "ROLE_BOUND", uid.as_str(), description));
    }
    Ok(!table::remove::<Role>(tx, "uid", uid).await?.is_empty())
}

/// Whether anybody holds the role.
///
/// # Errors
/// Internal when the storage fails.
pub async fn is_bound(reader: &mut Reader, uid: &Uidp) -> Result<bool> {
    reader.exists("SELECT uid FROM role_bindings WHERE role = $1 LIMIT 1", &[uid.into()]).await
}

/// Shows `visit` where the role is bound, each group once, until it breaks; gives what it broke with. Groups below one that
/// was shown are left out from there on, so every group where the role is bound was shown, or is below one that was.
///
/// # Errors
/// Internal when the storage fails.
pub async fn bound_at<B: Send>(
    reader: &mut Reader,
    uid: &Uidp,
    mut visit: impl FnMut(Uidp) -> ControlFlow<B> + Send,
) -> Result<Option<B>> {
    // However often the role is bound at a group and below it, this is one step along the index of role and identifier: what
    // is there begins with the group's identifier and a slash, and 0 is what follows the slash.
    let sql = "WITH RECURSIVE places (place) AS ( \
                   SELECT * FROM (SELECT parent FROM role_bindings WHERE role = $1 ORDER BY uid LIMIT 1) AS first \
                   UNION ALL \
                   SELECT (SELECT b.parent FROM role_bindings b WHERE b.role = $1 AND b.uid > p.place || '0' \
                           ORDER BY b.uid LIMIT 1) FROM places p WHERE p.place IS NOT NULL \
               ) SELECT place FROM places WHERE place IS NOT NULL";
    let mut broken = None;
    let read = |row: &Row<'_>| match visit(row.uidp(0)?) {
        ControlFlow::Continue(()) => Ok(ControlFlow::Continue(())),
        ControlFlow::Break(value) => {
            broken = Some(value);
            Ok(ControlFlow::Break(()))
        }
    };
    reader.at_length(true);
    let outcome = reader.query_while(sql, &[uid.into()], read).await;
    reader.at_length(false);
    outcome.map(|()| broken)
}
