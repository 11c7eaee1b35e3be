//! The rows of nouns: read, listed, added, changed and removed by the same functions for all of them. What follows from that for one
//! noun alone, its [`Stored`] says, so that it follows whoever calls.

use database::Param;
use domain::{Error, Noun, Result, Uidp};

pub use crate::table::Stored;
use crate::{
    Reader, Writer, counts,
    list::{self, Filter, ListQuery, Listed},
    table::{self, Columns, FIRST, Stamp, Values},
};

/// Which noun the rows are of.
#[must_use]
pub const fn noun<T: Stored>() -> Noun {
    T::NOUN
}

/// The row with this identifier, if it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get<T: Stored>(reader: &mut Reader, uid: &Uidp) -> Result<Option<T>> {
    reader.query_one(&T::declared().statements().get, &[uid.into()], |row| T::read(&mut Columns::of(row, 0))).await
}

/// A page of rows. Those without a parent, such as built-in roles, are among them where the query includes roots.
///
/// # Errors
/// Invalid argument when the query asks for what no list offers; internal when the storage fails.
pub async fn list<F: Filter>(reader: &mut Reader, query: &ListQuery<F>) -> Result<Listed<F::Row>> {
    list::page(reader, query).await
}

/// How many rows live in this one itself, not below it.
///
/// # Errors
/// Internal when the storage fails.
pub async fn count<T: Stored>(reader: &mut Reader, home: &Uidp) -> Result<u64> {
    counts::children(reader, T::NOUN, home.as_str()).await
}

/// How many rows live below these places, none of which is inside another.
///
/// # Errors
/// Internal when the storage fails.
pub async fn count_below<T: Stored>(reader: &mut Reader, places: &[Uidp]) -> Result<u64> {
    let places: Vec<_> = places.iter().map(Uidp::as_str).collect();
    Ok(counts::below_each(reader, T::NOUN, &places).await?.into_iter().map(|(_, rows)| rows).sum())
}

/// Adds a row; answers it as stored.
///
/// # Errors
/// Not found when what it is to live in does not exist; already exists and failed precondition as the noun says of what its columns
/// must be; internal when the storage fails.
pub async fn insert<T: Stored>(tx: &mut Writer, row: &T) -> Result<T> {
    let row = row.clone().before_insert(tx).await?;
    add(tx, row).await
}

/// Adds a row to what the write has read, so that this is not read again; answers it as stored.
///
/// # Errors
/// As [`insert`]; internal when the row does not live in that.
pub async fn insert_in<T: Stored>(tx: &mut Writer, home: &impl Stored, row: &T) -> Result<T> {
    if T::declared().home(row.uid()).as_ref() != Some(home.uid()) {
        return Err(Error::internal(format!("{} does not live in {}", row.uid(), home.uid())));
    }
    if let Some(limits) = home.resource_limits() {
        table::check_room::<T>(tx, row.uid(), limits).await?;
    }
    add(tx, row.clone()).await
}

/// Adds a row of which the home is known to exist.
async fn add<T: Stored>(tx: &mut Writer, row: T) -> Result<T> {
    let stamp = Stamp { revision: tx.revision(), ..row.stamp() };
    let row = row.stamped(stamp);
    let mut values = Values::default();
    values.add(row.uid()).add(row.uid().parent_text()).add(row.uid().root_text());
    row.write(&mut values)?;
    values.add(stamp.created_at).add(stamp.updated_at).add(stamp.revision);
    tx.execute(&T::declared().statements().insert, &values.0).await.map_err(|fault| table::refused(&row, fault))?;
    let own = values.0.get(FIRST.len()..).unwrap_or_default();
    let digest = T::declared().digest(row.uid(), own);
    drop(values);
    table::came(tx, &row, digest)?;
    row.after_insert(tx).await?;
    Ok(row)
}

/// Writes what may change of a row that the write has read; answers it as stored, changed now.
///
/// # Errors
/// Not found when it is not there; already exists and failed precondition as the noun says of what its columns must be; internal when
/// the storage fails.
pub async fn update<T: Stored>(tx: &mut Writer, from: &T, to: &T) -> Result<T> {
    let to = to.clone().before_update(tx, from).await?;
    let stamp = Stamp { created_at: from.stamp().created_at, updated_at: tx.now(), revision: tx.revision() };
    let to = to.stamped(stamp);
    let mut own = Values::default();
    to.write(&mut own)?;
    let digest = T::declared().digest(to.uid(), &own.0);
    let updated = T::declared().columns.iter().zip(own.0).filter(|(column, _)| column.is_updated);
    let mut values: Vec<Param<'_>> = vec![to.uid().into()];
    values.extend(updated.map(|(_, value)| value));
    values.extend([stamp.updated_at.into(), stamp.revision.into()]);
    let updated = tx.execute(&T::declared().statements().update, &values).await.map_err(|fault| table::refused(&to, fault))?;
    drop(values);
    if updated == 0 {
        return Err(Error::not_found(T::NOUN, to.uid().as_str()));
    }
    table::changed(tx, from, &to, digest);
    to.after_update(tx, from).await?;
    Ok(to)
}

/// Removes the row with this identifier, what lives in it, and all that follows. Answers whether it existed.
///
/// # Errors
/// Failed precondition while something lives in it or refers to it that keeps it, naming what; internal when the storage fails.
pub async fn delete<T: Stored>(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
    T::before_delete(tx, uid).await?;
    let empty = tx.rules.empty;
    let is_parent = empty(tx, T::NOUN, uid).await?;
    let is_gone = !table::remove::<T>(tx, "uid", uid).await?.is_empty();
    if is_parent && is_gone {
        counts::forget(tx, uid)?;
    }
    Ok(is_gone)
}
