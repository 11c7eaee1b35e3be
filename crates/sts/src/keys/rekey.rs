//! Changing the key-encryption key while servers run.

use std::path::PathBuf;

use domain::{Ctx, Error, Kind, Rule};
use store::{chain::KeyId, rekey::rekey, signing_keys as rows};

use super::{signing::SigningKeys, stored::reseal};

/// A key-encryption key that is to follow.
#[derive(Clone, Debug)]
pub struct NextKey {
    /// Where it is.
    pub file: PathBuf,
    /// Its name.
    pub id: KeyId,
}

impl SigningKeys {
    /// Makes the file of the next key-encryption key, where there is none, and accepts that key from now on. Nothing else changes.
    ///
    /// # Errors
    /// Failed precondition when the file cannot be written or used; whatever the store answers.
    pub async fn prepare_key(&self, ctx: &Ctx) -> Result<NextKey, Error> {
        let (file, id) = self.root().make_next(&*ctx.entropy)?;
        self.reload(ctx.now).await?;
        Ok(NextKey { file, id })
    }

    /// Whether there is a next key-encryption key.
    ///
    /// # Errors
    /// Failed precondition when its file cannot be used.
    pub fn has_next_key(&self) -> Result<bool, Error> {
        self.root().has_next()
    }

    /// Changes to the next key-encryption key: signing keys are encrypted and vouched for with it, and the audit log goes on with it, in
    /// one transaction, whose entry vouches for all before it. From then on this server uses it, and so does every other one that
    /// has its file.
    ///
    /// # Errors
    /// As [`SigningKeys::prepare_key`]; failed precondition where the audit log has no codes, or is not as it was written; aborted when signing keys change at the same
    /// moment. Then nothing has changed.
    pub async fn change_key(&self, ctx: &Ctx) -> Result<KeyId, Error> {
        let NextKey { id, .. } = self.prepare_key(ctx).await?;
        let (keys, before) = (self.root().keys()?, rows::list(&mut self.store().reader().await?).await?);
        let resealed = before
            .iter()
            .filter(|row| row.is_vouched_for(&keys))
            .map(|row| reseal(row, self.root(), id, &*ctx.entropy))
            .collect::<Result<Vec<_>, _>>()?;
        let change = rekey(self.store(), ctx, move |tx| {
            let (before, resealed) = (before.clone(), resealed.clone());
            Box::pin(async move {
                if rows::list(tx).await? != before {
                    let message = "the signing keys were changed at the same moment; try again";
                    return Err(Error::new(Kind::Aborted, Rule::Unavailable, message));
                }
                tx.go_on_with(id)?;
                tx.go_on_with(id)?;
                for row in &resealed {
                    rows::update(tx, row).await?;
                }
                Ok(())
            })
        });
        change.await?;
        self.reload(ctx.now).await?;
        Ok(id)
    }
}
