//! Role bindings.

use std::{collections::HashMap, sync::LazyLock};

use database::{Fault, Param, Row};
use domain::{
    CapabilitySet, Error, Grant, Noun, Op, Place, Result, Rule, Uidp,
    iam::{Group, Identity, Role, RoleBinding, RoleBindingSpec, RoleBindingView},
};

use crate::{
    Reader, Writer,
    counts::placeholders,
    iam::{groups, roles},
    list::{Filter, ListQuery, Listed, Term},
    rows,
    table::{self, Column, Columns, Declared, Entity, Values, WithParent, its_fields, text},
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
    type Row = RoleBinding;

    fn terms(&self) -> Vec<Term> {
        let few = [("identity", &self.identity), ("parent", &self.group)];
        let few = few.into_iter().filter_map(|(column, uid)| Some(Term::few(column, uid.as_ref()?.as_str())));
        few.chain(self.role.iter().map(|role| Term::shared("role", role.as_str()))).collect()
    }
}

/// What is declared of role bindings.
pub(crate) static DECLARED: Declared =
    Declared::new::<RoleBinding>("role_bindings", COLUMNS, &groups::DECLARED, WithParent::Goes(table::go_with::<RoleBinding>));

const COLUMNS: &[Column] = &[text("identity").of_rights(), text("role").of_rights()];

impl Entity for RoleBinding {
    const NOUN: Noun = Noun::RoleBinding;

    its_fields!();

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

    fn name(&self) -> &'static str {
        ""
    }

    async fn after_insert(&self, tx: &mut Writer) -> Result<()> {
        rebound(tx, &self.spec.identity);
        Ok(())
    }

    async fn after_update(&self, tx: &mut Writer, from: &Self) -> Result<()> {
        rebound(tx, &from.spec.identity);
        rebound(tx, &self.spec.identity);
        Ok(())
    }

    async fn after_delete(&self, tx: &mut Writer) -> Result<()> {
        rebound(tx, &self.spec.identity);
        Ok(())
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

/// A page of role bindings with what they name.
///
/// # Errors
/// As [`rows::list`].
pub async fn list_views<F: Filter<Row = RoleBinding>>(
    reader: &mut Reader,
    query: &ListQuery<F>,
) -> Result<Listed<RoleBindingView>> {
    let Listed { items, next, total, skipped } = rows::list(reader, query).await?;
    let uids: Vec<_> = items.into_iter().map(|binding| binding.uid).collect();
    Ok(Listed { items: views(reader, &uids).await?, next, total, skipped })
}

/// Whether the identity has the role at this very group.
///
/// # Errors
/// Internal when the storage fails.
pub async fn exists(reader: &mut Reader, group: &Uidp, spec: &RoleBindingSpec) -> Result<bool> {
    let sql = "SELECT uid FROM role_bindings WHERE identity = $1 AND role = $2 AND parent = $3 LIMIT 1";
    reader.exists(sql, &[(&spec.identity).into(), (&spec.role).into(), group.into()]).await
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

/// What the identity holds at this group: by bindings there or above.
///
/// # Errors
/// Internal when the storage fails.
pub async fn held_at(reader: &mut Reader, identity: &Uidp, group: &Uidp) -> Result<CapabilitySet> {
    let places: Vec<_> = std::iter::successors(Some(group.clone()), Uidp::parent).collect();
    let sql = format!(
        "SELECT r.capabilities FROM role_bindings b JOIN roles r ON r.uid = b.role WHERE b.identity = $1 AND b.parent IN ({})",
        placeholders(2, places.len())
    );
    let params: Vec<Param<'_>> = std::iter::once(identity).chain(&places).map(Param::from).collect();
    let held = reader.query_map(&sql, &params, |row| roles::capabilities(row, 0)).await?;
    Ok(held.into_iter().fold(CapabilitySet::EMPTY, |all, one| all.union(&one)))
}

/// How many identities the role is bound to at this very group, none of them counted twice, but no more than `most`.
///
/// # Errors
/// Internal when the storage fails.
pub async fn holders(reader: &mut Reader, group: &Uidp, role: &Uidp, most: u64) -> Result<u64> {
    let sql = "SELECT DISTINCT identity FROM role_bindings WHERE parent = $1 AND role = $2 LIMIT $3";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    Ok(reader.query_map(sql, &[group.into(), role.into(), most.into()], |_| Ok(())).await?.len() as u64)
}

/// Tells the feed that an identity holds something else.
fn rebound(tx: &mut Writer, identity: &Uidp) {
    tx.changed(Noun::Identity, identity.as_str(), Op::Rebound);
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
        identity: Some(Identity::read(columns)?),
        group: Group::read(columns)?,
        role: Role::read(columns)?,
    })
}
