//! Vouching for a database as it is found: one that a program wrote which made no codes, one that was restored from a backup that nobody
//! vouches for, and one that was changed by other hands, once that is understood.

mod log;
mod rights;

use aws_lc_rs::digest::{Context, SHA256};
use domain::{Ctx, Error, Kind, Result, Rule};

pub(crate) use self::{
    log::{Log, Logged},
    rights::Rights,
};
use crate::{
    BoxFuture, Reader, Store, Writer,
    chain::{Digest, SEAL, finish},
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

/// The entries of the log, hashed from the first to the last that was read.
#[derive(Clone)]
pub(crate) struct Whole {
    log: Log,
    hash: Context,
    entries: u64,
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
    let entries = vouch_in(store, &ctx, |_| Box::pin(async { Ok(()) })).await?;
    Ok(Sealed { entries, rights })
}

/// Does `work` in a write whose entry vouches for all before it; answers their number.
pub(crate) async fn vouch_in<F>(store: &Store, ctx: &Ctx, work: F) -> Result<u64>
where
    F: for<'a> Fn(&'a mut Writer) -> BoxFuture<'a, Result<()>> + Clone + Send + Sync + 'static,
{
    let mut whole = Whole::default();
    for _ in 0..TRIES {
        whole.read_to_the_end(&mut store.reader().await?).await?;
        let (so_far, work) = (whole.clone(), work.clone());
        let written = store.write(ctx, move |tx| {
            Box::pin(async move {
                let mut whole = so_far;
                let came = whole.read_on(tx, LATE).await?;
                if came >= LATE {
                    return Err(too_much());
                }
                work(tx).await?;
                let entries = whole.entries;
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
    let mut whole = Whole::default();
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

impl Default for Whole {
    fn default() -> Self {
        Self { log: Log::default(), hash: Context::new(&SHA256), entries: 0 }
    }
}

impl Whole {
    /// Without those that are marked with this number or a smaller one, as they go.
    pub(crate) fn without(number: i64) -> Self {
        Self { log: Log::without(number), ..Self::default() }
    }

    async fn read_to_the_end(&mut self, reader: &mut Reader) -> Result<()> {
        reader.take_time().await?;
        self.read_on(reader, u64::MAX).await.map(drop)
    }

    /// Reads on to the end, or until it has read so many entries; answers how many it has read.
    pub(crate) async fn read_on(&mut self, reader: &mut Reader, most: u64) -> Result<u64> {
        self.read_judged(reader, most, |_| true).await.map(Option::unwrap_or_default)
    }

    /// The same, as long as each entry `is_whole`; `None` where one is not.
    pub(crate) async fn read_judged(
        &mut self,
        reader: &mut Reader,
        most: u64,
        mut is_whole: impl FnMut(&Logged) -> bool + Send,
    ) -> Result<Option<u64>> {
        let mut read = 0;
        while read < most {
            let page = self.log.page(reader).await?;
            if page.is_empty() {
                break;
            }
            read += page.len() as u64;
            for logged in &page {
                if !is_whole(logged) {
                    return Ok(None);
                }
                logged.content.hash(&mut self.hash);
            }
        }
        self.entries += read;
        Ok(Some(read))
    }

    pub(crate) fn digest(self) -> Digest {
        finish(self.hash.finish())
    }
}
