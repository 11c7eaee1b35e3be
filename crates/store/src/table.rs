//! What is the same for every noun's table: one row by its identifier, and a row's removal with all that belongs to it.

use domain::{Op, Result, Uidp};

use crate::{Reader, Writer, counts, list::Entity};

/// The row with this identifier, if it exists.
pub(crate) async fn get<T: Entity>(reader: &mut Reader, uid: &Uidp) -> Result<Option<T>> {
    let sql = format!("SELECT {} FROM {} WHERE uid = $1", T::COLUMNS, T::TABLE);
    reader.query_one(&sql, &[uid.into()], T::read).await
}

/// Removes the row with this identifier, counts it no more and tells the feed. Answers whether it existed.
pub(crate) async fn remove<T: Entity>(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
    let rows = tx.execute(&format!("DELETE FROM {} WHERE uid = $1", T::TABLE), &[uid.into()]).await?;
    if rows > 0 {
        counts::remove(tx, T::NOUN, uid).await?;
        tx.changed(T::NOUN, uid.as_str(), Op::Deleted);
    }
    Ok(rows > 0)
}
