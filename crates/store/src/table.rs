//! What is the same for every noun's table: its rows one by one, and what follows when a row comes, changes or goes.

mod columns;
mod declared;
mod entity;

use database::Param;
use domain::{Error, Noun, Op, Result, Uidp};

pub(crate) use self::{
    columns::{Columns, Values},
    declared::{Column, ColumnKind, Declared, EventGroup, Nouns, WithParent, bool, bytes, int, text},
    entity::{Entity, Stamp},
};
use crate::{Reader, Writer, counts, spot::Move};

/// The row with this identifier, if it exists.
pub(crate) async fn get<T: Entity>(reader: &mut Reader, uid: &Uidp) -> Result<Option<T>> {
    reader.query_one(&T::declared().statements().get, &[uid.into()], |row| T::read(&mut Columns::of(row, 0))).await
}

/// Adds a row; answers it as stored.
///
/// # Errors
/// Not found when what it is to live in does not exist; what the noun says of refusals.
pub(crate) async fn insert<T: Entity>(tx: &mut Writer, row: T) -> Result<T> {
    if let Some(home) = T::declared().home(row.uid()) {
        let lives_in = T::declared().lives_in;
        let sql = ["SELECT uid FROM ", lives_in.table, " WHERE uid = $1"].concat();
        if !tx.exists(&sql, &[(&home).into()]).await? {
            return Err(Error::not_found(lives_in.noun, home.as_str()));
        }
    }
    add(tx, row).await
}

/// Adds a row to what the write has read, so that it is known to exist; answers it as stored.
///
/// # Errors
/// Internal when the row does not live in that; what the noun says of refusals.
pub(crate) async fn insert_in<T: Entity>(tx: &mut Writer, parent: &Uidp, row: T) -> Result<T> {
    if row.uid().parent_text() != parent.as_str() {
        return Err(Error::internal(format!("{} does not live in {parent}", row.uid())));
    }
    add(tx, row).await
}

/// Adds a row of which the parent is known to exist.
async fn add<T: Entity>(tx: &mut Writer, row: T) -> Result<T> {
    let stamp = Stamp { revision: tx.revision(), ..row.stamp() };
    let row = row.stamped(stamp);
    let mut values = Values::default();
    values.add(row.uid()).add(row.uid().parent_text()).add(row.uid().root_text());
    row.write(&mut values)?;
    values.add(stamp.created_at).add(stamp.updated_at).add(stamp.revision);
    tx.execute(&T::declared().statements().insert, &values.0).await.map_err(|fault| row.refused(fault))?;
    drop(values);
    came(tx, &row)?;
    Ok(row)
}

/// Writes what may change of a row that the write has read; answers it as stored, changed now.
///
/// # Errors
/// Not found when it is not there; what the noun says of refusals.
pub(crate) async fn update<T: Entity>(tx: &mut Writer, from: &T, to: T) -> Result<T> {
    let stamp = Stamp { created_at: from.stamp().created_at, updated_at: tx.now(), revision: tx.revision() };
    let to = to.stamped(stamp);
    let mut own = Values::default();
    to.write(&mut own)?;
    let updated = T::declared().columns.iter().zip(own.0).filter(|(column, _)| column.is_updated);
    let mut values: Vec<Param<'_>> = vec![to.uid().into()];
    values.extend(updated.map(|(_, value)| value));
    values.extend([stamp.updated_at.into(), stamp.revision.into()]);
    let updated = tx.execute(&T::declared().statements().update, &values).await.map_err(|fault| to.refused(fault))?;
    drop(values);
    if updated == 0 {
        return Err(Error::not_found(T::declared().noun, to.uid().as_str()));
    }
    changed(tx, from, &to);
    Ok(to)
}

/// Tells the feed of a row that was updated.
pub(crate) fn changed<T: Entity>(tx: &mut Writer, from: &T, to: &T) {
    tx.moved(T::declared().noun, to.uid(), Op::Updated, Move { from: Some(from.spot()), to: Some(to.spot()) });
}

/// Removes the row with this identifier, what lives in it, and all that follows. Answers what it was.
///
/// # Errors
/// Failed precondition while something lives in it that keeps it, naming what.
pub(crate) async fn delete<T: Entity>(tx: &mut Writer, uid: &Uidp) -> Result<Option<T>> {
    let empty = tx.rules.empty;
    let is_parent = empty(tx, T::declared().noun, uid).await?;
    let gone = remove(tx, "uid", uid).await?.pop();
    if is_parent && gone.is_some() {
        counts::forget(tx, uid)?;
    }
    Ok(gone)
}

/// Removes the rows with this value in a column, and all that follows. Answers what they were.
pub(crate) async fn remove<T: Entity>(tx: &mut Writer, column: &str, value: &Uidp) -> Result<Vec<T>> {
    let declared = T::declared();
    let sql = format!("DELETE FROM {} WHERE {column} = $1 RETURNING {}", declared.table, declared.statements().columns);
    let gone = tx.query_map(&sql, &[value.into()], |row| T::read(&mut Columns::of(row, 0))).await?;
    for row in &gone {
        went(tx, row)?;
    }
    Ok(gone)
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

/// Counts a row that was inserted, and tells the feed.
fn came<T: Entity>(tx: &mut Writer, row: &T) -> Result<()> {
    counts::add(tx, T::declared().noun, T::declared().counts_itself, row.uid())?;
    tx.moved(T::declared().noun, row.uid(), Op::Created, Move { from: None, to: Some(row.spot()) });
    Ok(())
}

/// Counts a row that was deleted no more, and tells the feed.
fn went<T: Entity>(tx: &mut Writer, row: &T) -> Result<()> {
    counts::remove(tx, T::declared().noun, T::declared().counts_itself, row.uid())?;
    tx.moved(T::declared().noun, row.uid(), Op::Deleted, Move { from: Some(row.spot()), to: None });
    Ok(())
}
