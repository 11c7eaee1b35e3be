//! Role bindings.

use std::{collections::HashMap, sync::LazyLock};

use database::{Fault, Param, Row};
use domain::{
    Error, Grant, Noun, Op, Place, Result, Rule, Uidp,
    iam::{Group, Identity, Role, RoleBinding, RoleBindingSpec, RoleBindingView},
};

use crate::{
    BoxFuture, Reader, Writer,
    counts::placeholders,
    iam::{groups, roles},
    list::{self, Filter, ListQuery, Listed, Term},
    table::{self, Column, Columns, Declared, Entity, Stamp, Values, WithParent, text},
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
        columns.into_iter().filter_map(|(column, uid)| Some(Term::few(column, uid.as_ref()?.as_str()))).collect()
    }
}

/// What is declared of role bindings.
pub(crate) static DECLARED: Declared =
    Declared::new::<RoleBinding>(Noun::RoleBinding, "role_bindings", COLUMNS, &groups::DECLARED, WithParent::Goes(go_with));

const COLUMNS: &[Column] = &[text("identity"), text("role")];

impl Entity for RoleBinding {
    fn declared() -> &'static Declared {
        &DECLARED
    }

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: RoleBindingSpec { identity: columns.uidp()?, role: columns.uidp()? },
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        values.add(&self.spec.identity).add(&self.spec.role);
        Ok(())
    }

    fn uid(&self) -> &Uidp {
        &self.uid
    }

    fn name(&self) -> &'static str {
        ""
    }

    fn stamp(&self) -> Stamp {
        Stamp { created_at: self.created_at, updated_at: self.updated_at, revision: self.revision }
    }

    fn stamped(self, Stamp { created_at, updated_at, revision }: Stamp) -> Self {
        Self { created_at, updated_at, revision, ..self }
    }

    fn refused(&self, fault: Fault) -> Error {
        match fault {
            Fault::Reference => {
                let description = "the identity or the role of the binding does not exist";
                Error::precondition(Rule::NoSuchResource, "NO_SUCH_RESOURCE", self.uid.as_str(), description)
            }
            other => other.into(),
        }
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
    let binding = table::insert(tx, binding.clone()).await?;
    tx.changed(Noun::Identity, binding.spec.identity.as_str(), Op::Rebound);
    Ok(binding)
}

/// Adds a role binding to a group that the write has read; answers it as stored.
///
/// # Errors
/// Failed precondition when the identity or the role does not; internal when the
/// storage fails.
pub async fn insert_in(tx: &mut Writer, group: &Group, binding: &RoleBinding) -> Result<RoleBinding> {
    let binding = table::insert_in(tx, &group.uid, binding.clone()).await?;
    tx.changed(Noun::Identity, binding.spec.identity.as_str(), Op::Rebound);
    Ok(binding)
}

/// Changes a role binding as the write has read it to another value; answers it as stored.
///
/// # Errors
/// Failed precondition when the identity or the role does not exist; internal when the storage fails.
pub async fn update(tx: &mut Writer, from: &RoleBinding, to: &RoleBinding) -> Result<RoleBinding> {
    let binding = table::update(tx, from, to.clone()).await?;
    for identity in [&from.spec.identity, &binding.spec.identity] {
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
fn go_with<'a>(tx: &'a mut Writer, group: &'a Uidp) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move { delete_where(tx, "parent", group).await.map(drop) })
}

async fn delete_where(tx: &mut Writer, column: &str, value: &Uidp) -> Result<usize> {
    let gone = table::remove::<RoleBinding>(tx, column, value).await?;
    for binding in &gone {
        tx.changed(Noun::Identity, binding.spec.identity.as_str(), Op::Rebound);
    }
    Ok(gone.len())
}

/// Binding, identity, group and role side by side; the query of [`read_view`].
static VIEW: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {}, {}, {}, {} FROM role_bindings b JOIN identities i ON i.uid = b.identity \
         JOIN groups g ON g.uid = b.parent JOIN roles r ON r.uid = b.role",
        DECLARED.statements().columns_of("b"),
        Identity::declared().statements().columns_of("i"),
        Group::declared().statements().columns_of("g"),
        Role::declared().statements().columns_of("r"),
    )
});

fn read_view(row: &Row<'_>) -> Result<RoleBindingView> {
    let columns = &mut Columns::of(row, 0);
    Ok(RoleBindingView {
        binding: RoleBinding::read(columns)?,
        identity: Identity::read(columns)?,
        group: Group::read(columns)?,
        role: Role::read(columns)?,
    })
}
