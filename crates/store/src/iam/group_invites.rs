//! Group invites.

use std::collections::{BTreeSet, HashMap};

use database::Param;
use domain::{
    Noun, Result, Uidp,
    iam::{GroupInvite, GroupInviteSpec, GroupInviteView, InviteCheck, Role},
};

use crate::{
    Reader,
    counts::placeholders,
    iam::groups,
    list::{Filter, ListQuery, Listed, Term},
    rows,
    table::{self, Column, Columns, Declared, Entity, Values, WithParent, bool, int, its_fields, text},
};

/// Which group invites to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupInviteFilter {
    /// Only those whose code is checked with the key of this name.
    pub key_id: Option<String>,
}

impl Filter for GroupInviteFilter {
    type Row = GroupInvite;

    fn terms(&self) -> Vec<Term> {
        self.key_id.iter().map(|key_id| Term::few("key_id", key_id)).collect()
    }
}

/// What is declared of group invites.
pub(crate) static DECLARED: Declared =
    Declared::new::<GroupInvite>("group_invites", COLUMNS, &groups::DECLARED, WithParent::Goes(table::go_with::<GroupInvite>))
        .few();

const COLUMNS: &[Column] = &[
    text("role").of_rights(),
    text("email").of_rights(),
    bool("single_use").of_rights(),
    int("expires_at").of_rights(),
    text("key_id").of_rights(),
    text("code_digest").of_rights(),
];

impl Entity for GroupInvite {
    const NOUN: Noun = Noun::GroupInvite;

    its_fields!();

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: GroupInviteSpec { role: columns.uidp()?, email: columns.string()?, single_use: columns.bool()? },
            expires_at: columns.time()?,
            check: InviteCheck { key_id: columns.string()?, digest: columns.string()? },
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        let (GroupInviteSpec { role, email, single_use }, check) = (&self.spec, &self.check);
        values.add(role).add(email.as_str()).add(*single_use).add(self.expires_at);
        values.add(check.key_id.as_str()).add(check.digest.as_str());
        Ok(())
    }
}

/// The group invite with its role, if it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn view(reader: &mut Reader, uid: &Uidp) -> Result<Option<GroupInviteView>> {
    let Some(invite) = rows::get::<GroupInvite>(reader, uid).await? else { return Ok(None) };
    Ok(views(reader, vec![invite]).await?.pop())
}

/// The group invite whose code this is what it is checked with, if there is one.
///
/// # Errors
/// Internal when the storage fails.
pub async fn by_check(reader: &mut Reader, check: &InviteCheck) -> Result<Option<GroupInvite>> {
    let columns = &DECLARED.statements().columns;
    let sql = format!("SELECT {columns} FROM group_invites WHERE key_id = $1 AND code_digest = $2 LIMIT 1");
    let params = [check.key_id.as_str().into(), check.digest.as_str().into()];
    reader.query_one(&sql, &params, |row| GroupInvite::read(&mut Columns::of(row, 0))).await
}

/// A page of group invites with their roles.
///
/// # Errors
/// As [`rows::list`].
pub async fn list_views<F: Filter<Row = GroupInvite>>(
    reader: &mut Reader,
    query: &ListQuery<F>,
) -> Result<Listed<GroupInviteView>> {
    let Listed { items, next, total, skipped } = rows::list(reader, query).await?;
    Ok(Listed { items: views(reader, items).await?, next, total, skipped })
}

/// The invites with their roles, each of which is read once.
async fn views(reader: &mut Reader, invites: Vec<GroupInvite>) -> Result<Vec<GroupInviteView>> {
    let wanted: Vec<_> = invites.iter().map(|invite| &invite.spec.role).collect::<BTreeSet<_>>().into_iter().collect();
    let mut roles = HashMap::with_capacity(wanted.len());
    for chunk in wanted.chunks(256) {
        let columns = &Role::declared().statements().columns;
        let sql = format!("SELECT {columns} FROM roles WHERE uid IN ({})", placeholders(1, chunk.len()));
        let params: Vec<Param<'_>> = chunk.iter().map(|uid| Param::from(*uid)).collect();
        for role in reader.query_map(&sql, &params, |row| Role::read(&mut Columns::of(row, 0))).await? {
            roles.insert(role.uid.clone(), role);
        }
    }
    let view = |invite: GroupInvite| GroupInviteView { role: roles.get(&invite.spec.role).cloned(), invite };
    Ok(invites.into_iter().map(view).collect())
}
