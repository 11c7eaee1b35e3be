//! The last statements of a group commit: what its requests have added up.

use super::{
    fault::Failure,
    session::{List, Session},
};
use crate::{param::Param, sums::Batch};

/// Sends the statements of all batches. A failure shows with the next answer.
pub(super) async fn send(session: &mut Session, batches: Vec<Batch>) -> Result<(), Failure> {
    for Batch { row, lists, rows } in batches {
        match lists {
            Some(lists) if !rows.is_empty() => session.send_lists(lists, columns(rows)).await?,
            Some(_) => {}
            None => {
                for values in rows {
                    session.send(row, &values).await?;
                }
            }
        }
    }
    Ok(())
}

/// The values of each column as a list.
fn columns(rows: Vec<Vec<Param<'static>>>) -> Vec<List> {
    let mut columns: Vec<Vec<Param<'static>>> = Vec::new();
    for row in rows {
        columns.resize_with(row.len(), Vec::new);
        columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
    }
    columns.into_iter().map(|column| Box::new(column) as List).collect()
}
