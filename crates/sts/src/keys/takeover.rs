//! Taking over a database of a program that made no codes.

use domain::{Ctx, Error, Kind, Rule};
use store::{Standing, Store, seal, signing_keys as rows};

use super::{
    root::RootKey,
    stored::{is_of_earlier, unseal},
};

/// Vouches for what such a program has left, as it is found, once. What was changed by other hands before is believed from then on,
/// except for signing keys whose private half the root key does not open. Where a key is of a program that makes codes, there were some,
/// and nothing is believed.
///
/// # Errors
/// Failed precondition when codes were taken away, or a key is of another root key; whatever the store answers.
pub(super) async fn begin(store: &Store, root: &RootKey, standing: Standing, ctx: &Ctx) -> Result<(), Error> {
    match standing {
        Standing::Sealed | Standing::New => return Ok(()),
        Standing::Headless => {
            tracing::error!(
                "the audit log has lost its head, and goes on without codes: run `provost admin check`, then `provost admin seal`"
            );
            return Ok(());
        }
        Standing::Unsealed => {}
    }
    let stored = rows::list(&mut store.reader().await?).await?;
    stored.iter().try_for_each(|row| unseal(row, root).map(drop))?;
    if stored.is_empty() || !stored.iter().all(|row| is_of_earlier(row, root)) {
        let message = "somebody has taken the codes of the audit log away: what is in the database may have been changed by hand; restore a backup";
        return Err(Error::new(Kind::FailedPrecondition, Rule::Unavailable, message));
    }
    store
        .write(ctx, move |tx| {
            Box::pin(async move {
                for row in &stored {
                    rows::vouch(tx, row).await?;
                }
                Ok(())
            })
        })
        .await?;
    let sealed = seal::seal(store, ctx).await?;
    let seal::Sealed { entries, rights } = sealed;
    tracing::warn!(entries, rights, "an earlier program wrote this database: what is in it is vouched for as it is from now on");
    Ok(())
}
