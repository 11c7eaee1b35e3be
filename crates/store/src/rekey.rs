//! Going on with another key-encryption key.

use domain::{Ctx, Error, Kind, Result, Rule};

use crate::{BoxFuture, Store, Writer, chain::REKEY, check, seal::vouch_in};

/// Changes to another key: `work`, which has [`Writer::go_on_with`] it, and an entry of the method [`REKEY`] that vouches for
/// everything before it with that key, so that it can be judged when the one of before is gone. What the log has by then was compared first.
///
/// # Errors
/// Failed precondition when the log is not as it was written; otherwise as `work` and [`seal`](crate::seal::seal).
pub async fn rekey<F>(store: &Store, ctx: &Ctx, work: F) -> Result<()>
where
    F: for<'a> Fn(&'a mut Writer) -> BoxFuture<'a, Result<()>> + Clone + Send + Sync + 'static,
{
    if let Some(finding) = check::first_in_log(store).await? {
        let message = format!(
            "the audit log is not as it was written ({}: {}): look into `provost admin check`, then run `provost admin seal`",
            finding.place, finding.problem
        );
        return Err(Error::new(Kind::FailedPrecondition, Rule::Unavailable, message));
    }
    vouch_in(store, &Ctx { method: REKEY, ..ctx.clone() }, work).await.map(drop)
}
