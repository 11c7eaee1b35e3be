//! Roles.

use std::{borrow::Cow, ops::ControlFlow};

use database::Row;
use domain::{
    CapabilitySet, Error, Noun, Result, Rule, Uidp,
    iam::{Role, RoleSpec},
};

use crate::{
    Reader, Writer,
    iam::groups,
    list::{self, Filter, ListQuery, Listed, Term},
    table::{self, Column, Columns, Declared, Entity, Stamp, Values, WithParent, text},
};

/// Which roles to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleFilter {
    /// Only those with this name.
    pub name: Option<String>,
}

impl Filter for RoleFilter {
    fn terms(&self) -> Vec<Term> {
        self.name.iter().map(|name| Term::few("name", name)).collect()
    }
}

/// What is declared of roles.
pub(crate) static DECLARED: Declared =
    Declared::new::<Role>(Noun::Role, "roles", COLUMNS, &groups::DECLARED, WithParent::Keeps("child roles"));

const COLUMNS: &[Column] = &[text("name"), text("description"), text("capabilities")];

impl Entity for Role {
    fn declared() -> &'static Declared {
        &DECLARED
    }

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: RoleSpec {
                name: columns.name()?,
                description: columns.description()?,
                capabilities: known(&columns.json::<Vec<_>>()?),
            },
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        let RoleSpec { name, description, capabilities } = &self.spec;
        values.add(name.as_str()).add(description.as_str()).json(capabilities)?;
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
}

/// Reads capabilities by their names. Those of other versions are passed over.
pub(super) fn capabilities(row: &Row<'_>, column: usize) -> Result<CapabilitySet> {
    Ok(known(&row.json::<Vec<_>>(column)?))
}

fn known(names: &[Cow<'_, str>]) -> CapabilitySet {
    CapabilitySet::from_names(names.iter().map(AsRef::as_ref))
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
    table::insert(tx, role.clone()).await
}

/// Changes a role as the write has read it to another value; answers it as stored.
///
/// # Errors
/// Internal when the storage fails.
pub async fn update(tx: &mut Writer, from: &Role, to: &Role) -> Result<Role> {
    table::update(tx, from, to.clone()).await
}

/// Brings a built-in role to what this version of the server says. Answers whether anything changed.
///
/// # Errors
/// Internal when the storage fails.
pub async fn upsert_built_in(tx: &mut Writer, role: &Role) -> Result<bool> {
    match get(tx, &role.uid).await? {
        None => insert(tx, role).await.map(|_| true),
        Some(stored) if stored.spec == role.spec => Ok(false),
        Some(stored) => update(tx, &stored, role).await.map(|_| true),
    }
}

/// Removes a role. Answers whether it existed.
///
/// # Errors
/// Failed precondition while it is bound or some identity provider gives it; internal when the storage fails.
pub async fn delete(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
    if is_bound(tx, uid).await? {
        let description = "cannot delete role with role bindings";
        return Err(Error::precondition(Rule::RoleBound, "ROLE_BOUND", uid.as_str(), description));
    }
    if default_at(tx, uid).await?.is_some() {
        let description = "cannot delete role that is the default role of identity providers";
        return Err(Error::precondition(Rule::RoleBound, "ROLE_BOUND", uid.as_str(), description));
    }
    Ok(table::delete::<Role>(tx, uid).await?.is_some())
}

/// Whether anybody holds the role.
///
/// # Errors
/// Internal when the storage fails.
pub async fn is_bound(reader: &mut Reader, uid: &Uidp) -> Result<bool> {
    reader.exists("SELECT uid FROM role_bindings WHERE role = $1 LIMIT 1", &[uid.into()]).await
}

/// The organization where identity providers give the role to everybody who logs in, if some do: for a custom role there is no other
/// than its own.
///
/// # Errors
/// Internal when the storage fails.
pub async fn default_at(reader: &mut Reader, uid: &Uidp) -> Result<Option<Uidp>> {
    let sql = "SELECT parent FROM identity_providers WHERE default_role = $1 ORDER BY uid LIMIT 1";
    reader.query_one(sql, &[uid.into()], |row| row.uidp(0)).await
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
