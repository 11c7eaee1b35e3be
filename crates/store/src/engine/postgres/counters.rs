//! The last statements of a group commit: what its requests add to the counters.

use super::{fault::Failure, session::Session};
use crate::counts::Pending;

/// The check that counters are never negative is made on the row to insert, even where the conflict then makes it an update.
const GROW: &str = "INSERT INTO counts (prefix, noun, n, children) \
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) \
    ON CONFLICT (prefix, noun) DO UPDATE SET n = counts.n + excluded.n, children = counts.children + excluded.children";
/// One by one, since a plan that joins them with the counters might be one that reads all of these. A counter that is damaged
/// stays one that a check finds, and fails nobody else's request.
const SHRINK: &str = "UPDATE counts SET n = greatest(n + $3, 0), children = greatest(children + $4, 0) \
    WHERE prefix = $1 AND noun = $2";
const FORGET: &str = "DELETE FROM counts WHERE prefix = ANY ($1) AND n = 0";

/// Sends what is added to the counters. A failure shows with the next answer.
pub(super) async fn send(session: &mut Session) -> Result<(), Failure> {
    let pending = std::mem::take(&mut session.pending);
    let sent = send_all(session, &pending).await;
    session.pending = pending;
    sent
}

async fn send_all(session: &mut Session, pending: &Pending) -> Result<(), Failure> {
    let (mut prefixes, mut nouns, mut below, mut children) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for change in pending.grown() {
        prefixes.push(change.prefix.to_owned());
        nouns.push(change.noun.as_str());
        below.push(change.sum.below);
        children.push(change.sum.children);
    }
    if !prefixes.is_empty() {
        session.send_lists(GROW, vec![Box::new(prefixes), Box::new(nouns), Box::new(below), Box::new(children)]).await?;
    }
    for change in pending.shrunk() {
        let (below, children) = (change.sum.below, change.sum.children);
        session.send(SHRINK, &[change.prefix.into(), change.noun.as_str().into(), below.into(), children.into()]).await?;
    }
    let gone: Vec<_> = pending.gone().map(str::to_owned).collect();
    if !gone.is_empty() {
        session.send_lists(FORGET, vec![Box::new(gone)]).await?;
    }
    Ok(())
}
