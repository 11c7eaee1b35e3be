//! Vouching for a database as it is found: one that a program wrote which made no codes, one that was restored from a backup that nobody
//! vouches for, and one that was changed by other hands, once that is understood.

mod log;
mod rights;
mod whole;

use domain::{Ctx, Error, Kind, Result, Rule};

pub(crate) use self::{
    log::{Log, Logged},
    rights::Rights,
    whole::Whole,
};
use crate::{
    BoxFuture, Store, Writer,
    chain::{Digest, SEAL},
};

/// Entries that a write hashes at most, which all other writes wait for.
const LATE: u64 = 2000;
/// How often it is tried to come to the end of the log before others write more than that.
const TRIES: usize = 5;

/// What was vouched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// Entries of the audit log.
    pub entries: u64,
    /// Rows that rights follow from and that the feed had no digest of, another one, or one of an earlier form.
    pub rights: u64,
}

/// Vouches for everything in the store as it is: what rights follow from, and the audit log with its changes and events. An entry in the
/// audit log, of the method [`SEAL`], says so and carries the code.
///
/// Others may be writing. All is read first; the write itself reads what came since.
///
/// # Errors
/// Failed precondition without keys; aborted when others write too much meanwhile; whatever the store answers.
pub async fn seal(store: &Store, ctx: &Ctx) -> Result<Sealed> {
    let rights = refresh(store, ctx).await?;
    let ctx = Ctx { method: SEAL, ..ctx.clone() };
    let whole = Whole::of(&mut store.reader().await?).await?;
    let entries = vouch_in(store, &ctx, whole, |_| Box::pin(async { Ok(()) })).await?;
    Ok(Sealed { entries, rights })
}

/// Does `work` in a write whose entry vouches for all before it, which begin as the `whole` that was read so far; answers their number.
///
/// # Errors
/// Aborted when others write too much meanwhile, or have old entries go; failed precondition when an entry is not as it was written, where
/// that is judged; whatever `work` and the store answer.
pub(crate) async fn vouch_in<F>(store: &Store, ctx: &Ctx, mut whole: Whole, work: F) -> Result<u64>
where
    F: for<'a> Fn(&'a mut Writer) -> BoxFuture<'a, Result<()>> + Clone + Send + Sync + 'static,
{
    for _ in 0..TRIES {
        whole.read_to_the_end(&mut store.reader().await?).await?;
        let (so_far, work) = (whole.clone(), work.clone());
        let written = store.write(ctx, move |tx| {
            Box::pin(async move {
                let mut whole = so_far;
                whole.read_late(tx, LATE).await?;
                work(tx).await?;
                let entries = whole.entries();
                tx.vouch_for_all(whole.digest());
                Ok(entries)
            })
        });
        match written.await {
            Err(error) if error.rule() == Rule::Contended => {}
            written => return written,
        }
    }
    Err(too_much())
}

fn too_much() -> Error {
    Error::new(Kind::Aborted, Rule::Contended, "others write too much at the moment; try again when there is less to do")
}

/// Has the feed keep the digests of what rights follow from, within a write that nobody else disturbs.
pub(crate) async fn refresh_within(tx: &mut Writer) -> Result<()> {
    for mut rights in Rights::all() {
        while let Some(page) = rights.page(tx).await? {
            for stale in page {
                stale.refresh(tx).await?;
            }
        }
    }
    Ok(())
}

/// The SHA-256 of all entries, for [`Writer::vouch_for_all`], within such a write.
pub(crate) async fn digest_within(tx: &mut Writer) -> Result<Digest> {
    let mut whole = Whole::of(tx).await?;
    whole.read_to_the_end(tx).await?;
    Ok(whole.digest())
}

/// Has the feed keep the digests of what rights follow from. Answers how many it had not, or others.
async fn refresh(store: &Store, ctx: &Ctx) -> Result<u64> {
    let mut refreshed = 0;
    for mut rights in Rights::all() {
        while let Some(page) = rights.page(&mut store.reader().await?).await? {
            refreshed += page.len() as u64;
            if page.is_empty() {
                continue;
            }
            store
                .bookkeeping(ctx.clone(), move |tx| {
                    Box::pin(async move {
                        for stale in page {
                            stale.refresh(tx).await?;
                        }
                        Ok(())
                    })
                })
                .await?;
        }
    }
    Ok(refreshed)
}
