//! Subtrees of one level: they are walked as the children of a place, whose indexes have every order.

use domain::{OrderField, Result};

use super::{Stream, keys::Keys};
use crate::{Reader, counts};

/// Streams that are looked at; with more, a scan of everything is near.
const MOST: usize = 64;

/// The same rows in streams that are easier to walk.
pub(super) async fn narrowed(reader: &mut Reader, keys: &Keys<'_>, streams: Vec<Stream>) -> Result<Vec<Stream>> {
    // By uid a subtree is in order already; a group is part of its own subtree; and filters have indexes of their own.
    if keys.order.field == OrderField::Uid || keys.declared.counts_itself || !keys.terms.is_empty() || streams.len() > MOST {
        return Ok(streams);
    }
    let mut narrowed = Vec::with_capacity(streams.len());
    for stream in streams {
        narrowed.push(match stream {
            Stream::Below(place) if !place.is_root() && counts::is_flat(reader, keys.declared.noun, place.as_str()).await? => {
                // Where something else than a group was named, it is all there is.
                let itself = format!("SELECT uid FROM {} WHERE uid = $1", keys.declared.table);
                if reader.exists(&itself, &[(&place).into()]).await? { Stream::Below(place) } else { Stream::Children(place) }
            }
            other => other,
        });
    }
    Ok(narrowed)
}
