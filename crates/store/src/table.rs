//! What is the same for every noun's table: its rows one by one, and what follows when a row comes, changes or goes.

mod columns;
mod declared;
mod entity;

use database::Fault;
use domain::{Error, Kind, Noun, Op, Result, Rule, Uidp, error::Detail, iam::ResourceLimits};

pub use self::entity::Stored;
pub(crate) use self::{
    columns::{Columns, Values, value},
    declared::{
        Column, ColumnKind, Declared, EventGroup, FIRST, Fit, Nouns, OrderIndexes, OwnOrder, WithParent, bool, bytes, compare,
        int, rights_digest, text,
    },
    entity::{Entity, Stamp, its_fields},
};
use crate::{BoxFuture, Reader, Writer, chain::RightsDigest, counts, spot::Move};

/// Tells the feed of a row that was updated.
pub(crate) fn changed<T: Entity>(tx: &mut Writer, from: &T, to: &T, digest: Option<RightsDigest>) {
    tx.moved(T::NOUN, to.uid(), Op::Updated, Move { from: Some(from.spot()), to: Some(to.spot()) }, digest);
}

/// Removes the rows with this value in a column, and all that follows. Answers what they were.
pub(crate) async fn remove<T: Entity>(tx: &mut Writer, column: &str, value: &Uidp) -> Result<Vec<T>> {
    let declared = T::declared();
    let sql = format!("DELETE FROM {} WHERE {column} = $1 RETURNING {}", declared.table, declared.statements().columns);
    let gone = tx.query_map(&sql, &[value.into()], |row| T::read(&mut Columns::of(row, 0))).await?;
    for row in &gone {
        went(tx, row)?;
        row.after_delete(tx).await?;
    }
    Ok(gone)
}

/// Removes the rows that live in something that goes.
pub(crate) fn go_with<'a, T: Entity>(tx: &'a mut Writer, parent: &'a Uidp) -> BoxFuture<'a, Result<()>> {
    let column = if T::declared().shares_uid { "uid" } else { "parent" };
    Box::pin(async move { remove::<T>(tx, column, parent).await.map(drop) })
}

/// Makes sure that what a row is to live in exists, and has room for it.
///
/// # Errors
/// Not found when it does not; failed precondition when its organization has as many as it may have.
pub(crate) async fn in_what_exists<T: Entity>(reader: &mut Reader, row: &T) -> Result<()> {
    let Some(home) = T::declared().home(row.uid()) else { return Ok(()) };
    let lives_in = T::declared().lives_in;
    let table = lives_in.table;
    let sql = if lives_in.has_limits {
        format!("SELECT o.resource_limits FROM {table} h JOIN {table} o ON o.uid = h.org WHERE h.uid = $1")
    } else {
        format!("SELECT '{{}}' FROM {table} WHERE uid = $1")
    };
    let limits = reader.query_one(&sql, &[(&home).into()], |row| Columns::of(row, 0).json()).await?;
    check_room::<T>(reader, row.uid(), &limits.ok_or_else(|| Error::not_found(lives_in.noun, home.as_str()))?).await
}

/// Makes sure that an organization may have one more row.
///
/// # Errors
/// Failed precondition when it has as many as it may have.
pub(crate) async fn check_room<T: Entity>(reader: &mut Reader, uid: &Uidp, limits: &ResourceLimits) -> Result<()> {
    let Some(most) = limits.of(T::NOUN) else { return Ok(()) };
    let organization = uid.root_text();
    if counts::in_organization(reader, T::NOUN, organization).await? < most {
        return Ok(());
    }
    let (noun, are) = (T::NOUN.title(), if most == 1 { "" } else { "s" });
    let description = format!(
        "organization {organization} may have {most} {noun}{are} and has as many; delete one that is not needed, or ask an operator for more"
    );
    Err(Error::precondition(Rule::GroupFull, "RESOURCE_LIMIT", organization, description))
}

/// Refuses to let go of something in which rows of these nouns live that keep it, and removes those that go with it. Answers
/// whether any of them live in such a thing at all.
///
/// # Errors
/// Failed precondition when it has rows that keep it, naming the first kind.
pub(crate) async fn empty_of(nouns: Nouns, tx: &mut Writer, of: Noun, uid: &Uidp) -> Result<bool> {
    if let Some(children) = kept_by(nouns, tx, of, uid).await? {
        return Err(Error::not_empty(of, uid.as_str(), children));
    }
    for declared in nouns.living_in(of) {
        if let WithParent::Goes(go) = declared.with_parent {
            go(tx, uid).await?;
        }
    }
    Ok(nouns.living_in(of).next().is_some())
}

/// What lives in it and keeps it from being deleted, such as `child repos`; `None` when nothing does.
async fn kept_by(nouns: Nouns, tx: &mut Writer, of: Noun, uid: &Uidp) -> Result<Option<&'static str>> {
    for declared in nouns.living_in(of) {
        if let WithParent::Keeps(children) = declared.with_parent {
            let itself = u64::from(declared.counts_itself && declared.noun == of);
            if counts::below(tx, declared.noun, uid.as_str()).await? > itself {
                return Ok(Some(children));
            }
        }
    }
    Ok(None)
}

/// Why the database does not take a row.
pub(crate) fn refused<T: Entity>(row: &T, fault: Fault) -> Error {
    let declared = T::declared();
    match fault {
        Fault::Unique(constraint)
            if declared.has_unique_names && constraint.strip_prefix(declared.table) == Some("_parent_name_key") =>
        {
            let (noun, home, name) = (T::NOUN.title(), declared.lives_in.noun.title(), row.name());
            let article = if noun.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
            let message =
                format!("{article} {noun} named {name} exists in {home} {}; choose another name", row.uid().parent_text());
            Error::new(Kind::AlreadyExists, Rule::NameTaken, message)
                .with(Detail::Resource { noun: T::NOUN, uid: name.to_owned() })
                .because(constraint)
        }
        other => row.refused(other),
    }
}

/// Counts a row that was inserted, and tells the feed.
pub(crate) fn came<T: Entity>(tx: &mut Writer, row: &T, digest: Option<RightsDigest>) -> Result<()> {
    counts::add(tx, T::NOUN, T::declared().counts_itself, row.uid())?;
    tx.moved(T::NOUN, row.uid(), Op::Created, Move { from: None, to: Some(row.spot()) }, digest);
    Ok(())
}

/// Counts a row that was deleted no more, and tells the feed.
fn went<T: Entity>(tx: &mut Writer, row: &T) -> Result<()> {
    counts::remove(tx, T::NOUN, T::declared().counts_itself, row.uid())?;
    tx.moved(T::NOUN, row.uid(), Op::Deleted, Move { from: Some(row.spot()), to: None }, None);
    Ok(())
}
