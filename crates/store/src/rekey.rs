//! Going on with another key-encryption key.

use domain::{Ctx, Error, Kind, Result, Rule};

use crate::{
    BoxFuture, Store, Writer,
    chain::REKEY,
    check,
    seal::{Whole, vouch_in},
};

/// Changes to another key: `work`, which has [`Writer::go_on_with`] it, and an entry of the method [`REKEY`] that vouches for
/// everything before it with that key, so that it can be judged when the one of before is gone. What the log has by then was compared first.
///
/// # Errors
/// Failed precondition when the log is not as it was written; otherwise as `work` and [`seal`](crate::seal::seal).
pub async fn rekey<F>(store: &Store, ctx: &Ctx, work: F) -> Result<()>
where
    F: for<'a> Fn(&'a mut Writer) -> BoxFuture<'a, Result<()>> + Clone + Send + Sync + 'static,
{
    store.flush().await?;
    let (mut reader, keys) = (store.reader_anew().await?, store.keys());
    reader.take_time().await?;
    if let Some(finding) = check::first_in_log(&mut reader, keys.clone()).await? {
        let message = format!(
            "the audit log is not as it was written ({}: {}): look into `provost admin check`, then run `provost admin seal`",
            finding.place, finding.problem
        );
        return Err(Error::new(Kind::FailedPrecondition, Rule::Unavailable, message));
    }
    let mut whole = Whole::of(&mut reader).await?;
    if let Some(keys) = keys {
        whole = whole.judged(&mut reader, keys).await?;
    }
    drop(reader);
    vouch_in(store, &Ctx { method: REKEY, ..ctx.clone() }, whole, work).await.map(drop)
}
