//! What is the same for every noun's table: one row by its identifier, and what follows when a row comes, changes or goes.

use domain::{Op, Result, Uidp};

use crate::{
    Reader, Writer, counts,
    list::Entity,
    ranks::{Move, Spot},
};

/// The row with this identifier, if it exists.
pub(crate) async fn get<T: Entity>(reader: &mut Reader, uid: &Uidp) -> Result<Option<T>> {
    let sql = ["SELECT ", T::COLUMNS, " FROM ", T::TABLE, " WHERE uid = $1"].concat();
    reader.query_one(&sql, &[uid.into()], T::read).await
}

/// Counts a row that was inserted, and tells the feed.
pub(crate) fn came<T: Entity>(tx: &mut Writer, row: &T) -> Result<()> {
    counts::add(tx, T::NOUN, row.uid())?;
    tx.moved(T::NOUN, row.uid(), Op::Created, Move { from: None, to: Some(Spot::of(row)) });
    Ok(())
}

/// Tells the feed of a row that was updated.
pub(crate) fn changed<T: Entity>(tx: &mut Writer, from: &T, to: &T) {
    tx.moved(T::NOUN, to.uid(), Op::Updated, Move { from: Some(Spot::of(from)), to: Some(Spot::of(to)) });
}

/// Counts a row that was deleted no more, and tells the feed.
pub(crate) fn went<T: Entity>(tx: &mut Writer, row: &T) -> Result<()> {
    counts::remove(tx, T::NOUN, row.uid())?;
    tx.moved(T::NOUN, row.uid(), Op::Deleted, Move { from: Some(Spot::of(row)), to: None });
    Ok(())
}

/// Removes the rows with this value in a column, and all that follows. Answers what they were.
pub(crate) async fn remove<T: Entity + Sync>(tx: &mut Writer, column: &str, value: &Uidp) -> Result<Vec<T>> {
    let sql = format!("DELETE FROM {} WHERE {column} = $1 RETURNING {}", T::TABLE, T::COLUMNS);
    let gone = tx.query_map(&sql, &[value.into()], T::read).await?;
    for row in &gone {
        went(tx, row)?;
    }
    Ok(gone)
}
