//! Refusing access.

use domain::{Ctx, Result, Uidp, iam::AccessRequest};
use store::rows;

use super::AccessRequests;
use crate::nouns;

impl AccessRequests {
    /// Refuses, unless that was done before. Who asked may ask again some time later.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version.
    pub async fn refuse(&self, ctx: &Ctx, uid: &Uidp) -> Result<AccessRequest> {
        let (uid, call) = (uid.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let request: AccessRequest = nouns::admitted(&call, tx, &uid).await?;
                    if request.refused_at.is_some() {
                        return Ok(request);
                    }
                    let refused = AccessRequest {
                        refused_at: Some(call.now),
                        updated_at: call.now,
                        revision: tx.revision(),
                        ..request.clone()
                    };
                    rows::update(tx, &request, &refused).await
                })
            })
            .await
    }
}
