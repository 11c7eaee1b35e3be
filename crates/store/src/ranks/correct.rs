//! The fences of a reader's own snapshot: those of a commit before it, and what the feed tells since.

use domain::Result;

use super::moves;
use crate::{
    Reader,
    fences::{Fences, InPlaces, Ranks, Step, Walk},
};

/// Rows that may have moved since before a reader asks for the fences to be moved forward: reading what the feed tells of so
/// many is what a page can well wait for.
const FEW: usize = 16;
/// Changes that a reader looks through. With more, walking may be as quick, and the fences are being moved forward.
const MOST: usize = 5000;

/// The fences of the walk in the reader's snapshot, with the numbers of all keys or of those whose parents are in the places.
/// `None` when there are none, or none that it can make its own.
pub(super) async fn fences(
    reader: &mut Reader,
    ranks: &Ranks,
    walk: Walk,
    places: Option<InPlaces<'_>>,
) -> Result<Option<Fences>> {
    let at = reader.position().await?;
    let Some((as_of, fences)) = ranks.at(walk, at) else { return Ok(None) };
    let Some(mut fences) = (match places {
        Some(places) => fences.within(places),
        None => Some(fences.alone()),
    }) else {
        return Ok(None);
    };
    if as_of == at.revision {
        return Ok(Some(fences));
    }
    let Some(stretch) = moves::after(reader, moves::behind(as_of), MOST).await? else { return Ok(None) };
    if stretch.steps.len() > FEW || stretch.more.is_some() {
        // The next reader finds less to do.
        ranks.wake();
    }
    let is_meant = |step: &&Step| places.is_none_or(|places| places(step.uid.parent_text()));
    let follows = stretch.more.is_none() && fences.apply(walk, stretch.steps.iter().filter(is_meant)).is_ok();
    Ok(follows.then_some(fences))
}
