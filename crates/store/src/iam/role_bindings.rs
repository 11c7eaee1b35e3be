//! Role bindings.

use std::{collections::HashMap, sync::LazyLock};

use domain::{
    Error, Grant, Noun, Op, Place, Result, Rule, Timestamp, Uidp,
    iam::{Group, Identity, Role, RoleBinding, RoleBindingSpec, RoleBindingView},
};

use crate::{
    Reader, Writer,
    counts::placeholders,
    engine::{Fault, Param, Row},
    iam::{groups, roles},
    list::{self, Entity, Filter, ListQuery, Listed, Term},
    table,
};

/// Which role bindings to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleBindingFilter {
    /// Only those of this identity.
    pub identity: Option<Uidp>,
    /// Only those at this group, not below it.
    pub group: Option<Uidp>,
    /// Only those of this role.
    pub role: Option<Uidp>,
}

impl Filter for RoleBindingFilter {
    fn terms(&self) -> Vec<Term> {
        let columns = [("identity", &self.identity), ("parent", &self.group), ("role", &self.role)];
        columns.into_iter().filter_map(|(column, uid)| Some(Term::indexed(column, uid.as_ref()?.as_str()))).collect()
    }
}

impl Entity for RoleBinding {
    const NOUN: Noun = Noun::RoleBinding;
    const TABLE: &'static str = "role_bindings";
    const COLUMNS: &'static str = "uid, identity, role, created_at, updated_at, revision";
    const NAMED: bool = false;

    fn read(row: &Row<'_>) -> Result<Self> {
        Ok(Self {
            uid: row.uidp(0)?,
            spec: RoleBindingSpec { identity: row.uidp(1)?, role: row.uidp(2)? },
            created_at: row.time(3)?,
            updated_at: row.time(4)?,
            revision: row.revision(5)?,
        })
    }

    fn uid(&self) -> &Uidp {
        &self.uid
    }

    fn name(&self) -> &'static str {
        ""
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }
}

/// The role binding, if it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get(reader: &mut Reader, uid: &Uidp) -> Result<Option<RoleBinding>> {
    table::get(reader, uid).await
}

/// The role binding with what it names, if it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn view(reader: &mut Reader, uid: &Uidp) -> Result<Option<RoleBindingView>> {
    Ok(views(reader, std::slice::from_ref(uid)).await?.pop())
}

/// The role bindings with what they name, in the order given; those that do not exist are left out.
///
/// # Errors
/// Internal when the storage fails.
pub async fn views(reader: &mut Reader, uids: &[Uidp]) -> Result<Vec<RoleBindingView>> {
    let mut found = HashMap::with_capacity(uids.len());
    for chunk in uids.chunks(256) {
        let sql = format!("{} WHERE b.uid IN ({})", *VIEW, placeholders(1, chunk.len()));
        let params: Vec<Param<'_>> = chunk.iter().map(Param::from).collect();
        for view in reader.query_map(&sql, &params, read_view).await? {
            found.insert(view.binding.uid.clone(), view);
        }
    }
    Ok(uids.iter().filter_map(|uid| found.remove(uid)).collect())
}

/// A page of role bindings.
///
/// # Errors
/// Invalid argument when the query asks for what no list offers; internal when the storage fails.
pub async fn list(reader: &mut Reader, query: &ListQuery<RoleBindingFilter>) -> Result<Listed<RoleBinding>> {
    list::page(reader, query).await
}

/// A page of role bindings with what they name.
///
/// # Errors
/// As [`list()`].
pub async fn list_views(reader: &mut Reader, query: &ListQuery<RoleBindingFilter>) -> Result<Listed<RoleBindingView>> {
    let Listed { items, next, total, skipped } = list(reader, query).await?;
    let uids: Vec<_> = items.into_iter().map(|binding| binding.uid).collect();
    Ok(Listed { items: views(reader, &uids).await?, next, total, skipped })
}

/// Everything that the identity holds, one grant for each binding.
///
/// # Errors
/// Internal when the storage fails.
pub async fn grants_of(reader: &mut Reader, identity: &Uidp) -> Result<Vec<Grant>> {
    let sql = "SELECT b.parent, r.capabilities FROM role_bindings b JOIN roles r ON r.uid = b.role WHERE b.identity = $1 \
               ORDER BY b.uid";
    let read = |row: &Row<'_>| Ok(Grant { at: Place::At(row.uidp(0)?), capabilities: roles::capabilities(row, 1)? });
    reader.query_map(sql, &[identity.into()], read).await
}

/// Adds a role binding; answers it as stored.
///
/// # Errors
/// Not found when its group does not exist; failed precondition when the identity or the role does not; internal when the
/// storage fails.
pub async fn insert(tx: &mut Writer, binding: &RoleBinding) -> Result<RoleBinding> {
    groups::must_hold(tx, &binding.uid).await?;
    let binding = RoleBinding { revision: tx.revision(), ..binding.clone() };
    tx.execute(
        "INSERT INTO role_bindings (uid, parent, org, identity, role, created_at, updated_at, revision) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        &[
            (&binding.uid).into(),
            binding.uid.parent_text().into(),
            binding.uid.root_text().into(),
            (&binding.spec.identity).into(),
            (&binding.spec.role).into(),
            binding.created_at.into(),
            binding.updated_at.into(),
            binding.revision.into(),
        ],
    )
    .await
    .map_err(|fault| dangling(fault, &binding))?;
    table::came(tx, &binding)?;
    tx.changed(Noun::Identity, binding.spec.identity.as_str(), Op::Rebound);
    Ok(binding)
}

/// Writes what may change of a role binding; answers it as stored, changed now.
///
/// # Errors
/// Not found; failed precondition when the identity or the role does not exist; internal when the storage fails.
pub async fn update(tx: &mut Writer, binding: &RoleBinding) -> Result<RoleBinding> {
    let stored = get(tx, &binding.uid).await?.ok_or_else(|| Error::not_found(Noun::RoleBinding, binding.uid.as_str()))?;
    let binding = RoleBinding { created_at: stored.created_at, updated_at: tx.now(), revision: tx.revision(), ..binding.clone() };
    tx.execute(
        "UPDATE role_bindings SET identity = $2, role = $3, updated_at = $4, revision = $5 WHERE uid = $1",
        &[
            (&binding.uid).into(),
            (&binding.spec.identity).into(),
            (&binding.spec.role).into(),
            binding.updated_at.into(),
            binding.revision.into(),
        ],
    )
    .await
    .map_err(|fault| dangling(fault, &binding))?;
    table::changed(tx, &stored, &binding);
    for identity in [&stored.spec.identity, &binding.spec.identity] {
        tx.changed(Noun::Identity, identity.as_str(), Op::Rebound);
    }
    Ok(binding)
}

/// Removes a role binding. Answers whether it existed.
///
/// # Errors
/// Internal when the storage fails.
pub async fn delete(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
    let gone = delete_where(tx, "uid", uid).await?;
    Ok(gone > 0)
}

/// Removes the bindings of an identity that goes.
pub(super) async fn delete_of(tx: &mut Writer, identity: &Uidp) -> Result<usize> {
    delete_where(tx, "identity", identity).await
}

/// Removes the bindings at a group that goes.
pub(super) async fn delete_at(tx: &mut Writer, group: &Uidp) -> Result<usize> {
    delete_where(tx, "parent", group).await
}

async fn delete_where(tx: &mut Writer, column: &str, value: &Uidp) -> Result<usize> {
    let gone = table::remove::<RoleBinding>(tx, column, value).await?;
    for binding in &gone {
        tx.changed(Noun::Identity, binding.spec.identity.as_str(), Op::Rebound);
    }
    Ok(gone.len())
}

fn dangling(fault: Fault, binding: &RoleBinding) -> Error {
    match fault {
        Fault::Reference => {
            let description = "the identity or the role of the binding does not exist";
            Error::precondition(Rule::NoSuchResource, "NO_SUCH_RESOURCE", binding.uid.as_str(), description)
        }
        other => other.into(),
    }
}

/// Binding, identity, group and role side by side; the query of [`read_view`].
static VIEW: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {}, {}, {}, {} FROM role_bindings b JOIN identities i ON i.uid = b.identity \
         JOIN groups g ON g.uid = b.parent JOIN roles r ON r.uid = b.role",
        of("b", RoleBinding::COLUMNS),
        of("i", Identity::COLUMNS),
        of("g", Group::COLUMNS),
        of("r", Role::COLUMNS),
    )
});

fn of(table: &str, columns: &str) -> String {
    let columns: Vec<_> = columns.split(',').map(|column| format!("{table}.{}", column.trim())).collect();
    columns.join(", ")
}

fn width(columns: &str) -> usize {
    columns.split(',').count()
}

fn read_view(row: &Row<'_>) -> Result<RoleBindingView> {
    let identity = row.from(width(RoleBinding::COLUMNS));
    let group = identity.from(width(Identity::COLUMNS));
    let role = group.from(width(Group::COLUMNS));
    Ok(RoleBindingView {
        binding: RoleBinding::read(row)?,
        identity: Identity::read(&identity)?,
        group: Group::read(&group)?,
        role: Role::read(&role)?,
    })
}
