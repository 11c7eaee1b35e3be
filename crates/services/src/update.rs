//! Updates, the same way for every noun: get, match, patch, judge, and in one write get, match, unchanged?, write, announce.
//!
//! All writes wait for the one that is under way, so what takes time that grows with the request (applying the mask, reading
//! the outcome, judging texts and patterns) happens before, on what a snapshot shows. The write then confirms that the
//! value is still the same. If it is not, all begins again, outside of the write, with what it is now; after a few times of
//! that, updates of the resource in this process take turns.

use std::sync::{Arc, Mutex, PoisonError};

use domain::{Ctx, Error, Kind, Patch, Result, Rule, Uidp, error::Detail};
use store::{Store, Writer, idempotency};

use crate::{
    nouns::{self, Noun},
    turns::{RETRY, Turns},
};

/// How often an update is tried before it waits for its turn.
const AT_ONCE: usize = 2;
/// How often it is tried in all. With its turn, only other nodes can be faster; who was slower has what they wrote at hand and
/// is ahead of them the next time.
const TRIES: usize = 20;

/// What a noun says about its updates.
pub(crate) trait Update: Send + Sync + 'static {
    /// The resource as an update finds it.
    type Row: Noun;
    /// What a patch changes of it. Two equal ones make equal outcomes of one patch.
    type Spec: Clone + PartialEq + Send + Sync + 'static;
    /// What was found out before the write and has to be confirmed in it.
    type Findings: Send + Sync + 'static;
    /// What the caller gets.
    type Answer: Send + 'static;

    /// What the patch changes.
    fn spec(row: &Self::Row) -> &Self::Spec;

    /// Adds to a wish what goes without saying.
    fn complete(&self, _ctx: &Ctx, _row: &Self::Row, _wish: &mut Self::Spec) {}

    /// Judges a wish that changes something, as far as that needs no other rows or takes long. It holds no snapshot.
    fn judge(&self, ctx: &Ctx, row: &Self::Row, wish: &Self::Spec) -> impl Future<Output = Result<Self::Findings>> + Send;

    /// The answer to a wish that changes nothing.
    fn keep(tx: &mut Writer, row: Self::Row) -> impl Future<Output = Result<Self::Answer>> + Send;

    /// Judges what takes other rows, writes and announces. `row` is what `judge` had, except for what is not in its spec.
    fn write(
        tx: &mut Writer,
        row: Self::Row,
        wish: Self::Spec,
        findings: &Self::Findings,
    ) -> impl Future<Output = Result<Self::Answer>> + Send;
}

/// A patch that was applied.
struct Prepared<U: Update> {
    from: U::Row,
    /// `None` when it changes nothing.
    wish: Option<(U::Spec, U::Findings)>,
}

/// Where a write leaves what it has found instead of what the patch was applied to.
type Found<U> = Arc<Mutex<Option<<U as Update>::Row>>>;

/// Changes a resource as `patch` says.
///
/// # Errors
/// Not found; aborted when `If-Match` names another version, when others change the resource each time, and when too
/// many updates of it wait; what `patch` and the noun's rules answer.
pub(crate) async fn run<U: Update>(
    noun: &U,
    store: &Store,
    turns: &Turns,
    ctx: &Ctx,
    uid: &Uidp,
    patch: &Patch<U::Spec>,
) -> Result<U::Answer> {
    let (mut turn, mut known) = (None, None);
    for lost in 0..TRIES {
        if turn.is_none() && (lost >= AT_ONCE || turns.are_taken(uid)) {
            turn = Some(turns.wait(U::Row::NOUN, uid).await?);
            // Those who were before have changed it.
            known = None;
        }
        let row = match known.take() {
            Some(row) => row,
            None => current::<U>(store, ctx, uid).await?,
        };
        let prepared = prepare(noun, ctx, row, patch).await?;
        let found = Found::<U>::default();
        match confirm_and_write(store, ctx, uid, prepared, &found).await {
            Err(error) if error.rule() == Rule::Contended => {
                known = found.lock().unwrap_or_else(PoisonError::into_inner).take();
            }
            outcome => return outcome,
        }
    }
    Err(contended::<U::Row>(uid))
}

/// The resource as the last commit left it.
async fn current<U: Update>(store: &Store, ctx: &Ctx, uid: &Uidp) -> Result<U::Row> {
    let mut reader = store.reader().await?;
    idempotency::check_unclaimed(&mut reader, ctx).await?;
    nouns::get(&mut reader, uid).await
}

/// Applies the patch, and judges what comes of it.
async fn prepare<U: Update>(noun: &U, ctx: &Ctx, row: U::Row, patch: &Patch<U::Spec>) -> Result<Prepared<U>> {
    nouns::check(ctx, &row)?;
    let mut wish = patch(U::spec(&row))?;
    noun.complete(ctx, &row, &mut wish);
    if wish == *U::spec(&row) {
        return Ok(Prepared { from: row, wish: None });
    }
    let findings = noun.judge(ctx, &row, &wish).await?;
    Ok(Prepared { from: row, wish: Some((wish, findings)) })
}

/// Writes what was prepared, if that was made from what there is. An update that changes nothing is a write as well: it is
/// audited, and may have an idempotency key.
async fn confirm_and_write<U: Update>(
    store: &Store,
    ctx: &Ctx,
    uid: &Uidp,
    prepared: Prepared<U>,
    found: &Found<U>,
) -> Result<U::Answer> {
    let (uid, prepared, found) = (uid.clone(), Arc::new(prepared), Arc::clone(found));
    store
        .write(ctx, move |tx| {
            Box::pin(async move {
                let row: U::Row = nouns::get(tx, &uid).await?;
                nouns::check(tx.ctx(), &row)?;
                if U::spec(&row) != U::spec(&prepared.from) {
                    *found.lock().unwrap_or_else(PoisonError::into_inner) = Some(row);
                    return Err(contended::<U::Row>(&uid));
                }
                match &prepared.wish {
                    None => U::keep(tx, row).await,
                    Some((wish, findings)) => U::write(tx, row, wish.clone(), findings).await,
                }
            })
        })
        .await
}

/// The error for a resource that others have changed since the patch was applied.
pub(crate) fn contended<N: Noun>(uid: &Uidp) -> Error {
    let message =
        format!("others changed {} {uid} each time that this update was to be written; retry in a moment", N::NOUN.title());
    Error::new(Kind::Aborted, Rule::Contended, message).with(Detail::RetryAfter(RETRY))
}
