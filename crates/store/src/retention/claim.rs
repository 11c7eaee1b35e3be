//! Who has old entries go: one node at a time.

use domain::{Ctx, Error, Kind, Result, Rule};

use crate::{Reader, Store, Writer, floor};

/// The right to mark entries, and to have them go. It ends when somebody else takes it; marks that were made by then count for nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    /// What entries are marked with.
    pub(super) number: i64,
}

impl Claim {
    /// Takes it; `None` as long as some of those that went the last time are still there.
    pub(super) async fn take(store: &Store, ctx: &Ctx) -> Result<Option<Self>> {
        let take = store.bookkeeping(ctx.clone(), |tx| {
            Box::pin(async move {
                let floor = floor::floor(tx).await?;
                let sql = "SELECT id FROM audit WHERE goes = $1 LIMIT 1";
                if tx.query_one(sql, &[floor.number.into()], |row| row.int(0)).await?.is_some() {
                    return Ok(None);
                }
                let number = last(tx).await?.unwrap_or_default().max(floor.number) + 1;
                let sql = "INSERT INTO retention (one, number, floor, claimed) VALUES (1, $1, $2, $3) \
                           ON CONFLICT (one) DO UPDATE SET claimed = $3";
                tx.execute(sql, &[floor.number.into(), floor.revision.into(), number.into()]).await?;
                Ok(Some(Self { number }))
            })
        });
        take.await
    }

    /// Within a write: nobody else has taken it.
    ///
    /// # Errors
    /// Aborted when somebody has.
    pub(super) async fn hold(self, tx: &mut Writer) -> Result<()> {
        if last(tx).await? == Some(self.number) {
            return Ok(());
        }
        Err(Error::new(Kind::Aborted, Rule::Contended, "another node removes old entries of the audit log"))
    }
}

/// The number that was claimed last.
async fn last(reader: &mut Reader) -> Result<Option<i64>> {
    let last = reader.query_one("SELECT claimed FROM retention", &[], |row| row.opt_int(0)).await?;
    Ok(last.flatten())
}
