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
    list::{Filter, Term},
    rows,
    table::{Column, Columns, Declared, Entity, Values, WithParent, its_fields, text},
};

/// Which roles to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleFilter {
    /// Only those with this name.
    pub name: Option<String>,
}

impl Filter for RoleFilter {
    type Row = Role;

    fn terms(&self) -> Vec<Term> {
        self.name.iter().map(|name| Term::few("name", name)).collect()
    }
}

/// What is declared of roles.
pub(crate) static DECLARED: Declared =
    Declared::new::<Role>("roles", COLUMNS, &groups::DECLARED, WithParent::Keeps("child roles"));

const COLUMNS: &[Column] = &[text("name"), text("description"), text("capabilities").of_rights()];

impl Entity for Role {
    const NOUN: Noun = Noun::Role;

    its_fields!();

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

    async fn before_delete(tx: &mut Writer, uid: &Uidp) -> Result<()> {
        let description = if is_bound(tx, uid).await? {
            "cannot delete role with role bindings"
        } else if default_at(tx, uid).await?.is_some() {
            "cannot delete role that is the default role of identity providers"
        } else if mapped_at(tx, uid).await?.is_some() {
            "cannot delete role that external group role mappings give"
        } else {
            return Ok(());
        };
        Err(Error::precondition(Rule::RoleBound, "ROLE_BOUND", uid.as_str(), description))
    }

    fn name(&self) -> &str {
        self.spec.name.as_str()
    }
}

/// Reads capabilities by their names. Those of other versions are passed over.
pub(super) fn capabilities(row: &Row<'_>, column: usize) -> Result<CapabilitySet> {
    Ok(known(&row.json::<Vec<_>>(column)?))
}

fn known(names: &[Cow<'_, str>]) -> CapabilitySet {
    CapabilitySet::from_names(names.iter().map(AsRef::as_ref))
}

/// Brings a built-in role to what this version of the server says. Answers whether anything changed.
///
/// # Errors
/// Internal when the storage fails.
pub async fn upsert_built_in(tx: &mut Writer, role: &Role) -> Result<bool> {
    match rows::get::<Role>(tx, &role.uid).await? {
        None => rows::insert(tx, role).await.map(|_| true),
        Some(stored) if stored.spec == role.spec => Ok(false),
        Some(stored) => rows::update(tx, &stored, role).await.map(|_| true),
    }
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

/// The organization where mappings give the role to members of outside groups, if some do: for a custom role there is no other than
/// its own.
///
/// # Errors
/// Internal when the storage fails.
pub async fn mapped_at(reader: &mut Reader, uid: &Uidp) -> Result<Option<Uidp>> {
    let sql = "SELECT org FROM external_group_role_mappings WHERE role = $1 ORDER BY uid LIMIT 1";
    reader.query_one(sql, &[uid.into()], |row| row.uidp(0)).await
}

/// Shows `visit` where the role is bound or an invite offers it, until it breaks; gives what it broke with. Each group is shown once
/// for either, and groups below one that was shown are left out from there on, so every group where the role is bound or offered was
/// shown, or is below one that was.
///
/// # Errors
/// Internal when the storage fails.
pub async fn bound_at<B: Send>(
    reader: &mut Reader,
    uid: &Uidp,
    mut visit: impl FnMut(Uidp) -> ControlFlow<B> + Send,
) -> Result<Option<B>> {
    for table in ["role_bindings", "group_invites"] {
        if let Some(value) = places(reader, table, uid, &mut visit).await? {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

/// [`bound_at`] by the rows of one table.
async fn places<B: Send>(
    reader: &mut Reader,
    table: &str,
    uid: &Uidp,
    visit: &mut (impl FnMut(Uidp) -> ControlFlow<B> + Send),
) -> Result<Option<B>> {
    // However often the role is given at a group and below it, this is one step along the index of role and identifier: what
    // is there begins with the group's identifier and a slash, and 0 is what follows the slash.
    let sql = format!(
        "WITH RECURSIVE places (place) AS ( \
             SELECT * FROM (SELECT parent FROM {table} WHERE role = $1 ORDER BY uid LIMIT 1) AS first \
             UNION ALL \
             SELECT (SELECT b.parent FROM {table} b WHERE b.role = $1 AND b.uid > p.place || '0' \
                     ORDER BY b.uid LIMIT 1) FROM places p WHERE p.place IS NOT NULL \
         ) SELECT place FROM places WHERE place IS NOT NULL"
    );
    let mut broken = None;
    let read = |row: &Row<'_>| match visit(row.uidp(0)?) {
        ControlFlow::Continue(()) => Ok(ControlFlow::Continue(())),
        ControlFlow::Break(value) => {
            broken = Some(value);
            Ok(ControlFlow::Break(()))
        }
    };
    reader.at_length(true);
    let outcome = reader.query_while(&sql, &[uid.into()], read).await;
    reader.at_length(false);
    outcome.map(|()| broken)
}
