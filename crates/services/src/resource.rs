//! What is the same for every noun: reading one and deleting one. Updates are in [`crate::update`].

use domain::{Ctx, Error, Noun, Op, Result, Revision, Uidp};
use store::{Reader, Store, Writer};

/// A noun as its use cases read it.
pub(crate) trait Resource: Send + Sync + Sized + 'static {
    /// Which noun.
    const NOUN: Noun;
    /// Whether there is nothing to say when what is to be deleted does not exist.
    const MAY_BE_GONE: bool = false;

    /// The resource, if it exists.
    fn find(reader: &mut Reader, uid: &Uidp) -> impl Future<Output = Result<Option<Self>>> + Send;

    /// What `If-Match` is compared with.
    fn revision(&self) -> Revision;

    /// Whether it may be changed and deleted at all.
    fn admit(&self) -> Result<()> {
        Ok(())
    }

    /// Removes it, and what goes with it.
    fn remove(tx: &mut Writer, uid: &Uidp) -> impl Future<Output = Result<bool>> + Send;
}

/// The resource.
///
/// # Errors
/// Not found.
pub(crate) async fn get<R: Resource>(reader: &mut Reader, uid: &Uidp) -> Result<R> {
    R::find(reader, uid).await?.ok_or_else(|| not_found::<R>(uid))
}

/// Deletes a resource: get, match, remove, announce.
///
/// # Errors
/// Not found, unless that is nothing to say; aborted when `If-Match` names another version; what the noun answers.
pub(crate) async fn delete<R: Resource>(store: &Store, ctx: &Ctx, uid: &Uidp) -> Result<()> {
    let uid = uid.clone();
    store
        .write(ctx, move |tx| {
            Box::pin(async move {
                let found = R::find(tx, &uid).await?;
                if found.is_none() && R::MAY_BE_GONE {
                    return Ok(());
                }
                let current = found.ok_or_else(|| not_found::<R>(&uid))?;
                check(tx.ctx(), &current)?;
                R::remove(tx, &uid).await?;
                tx.announce(R::NOUN, &uid, Op::Deleted, &uid).await
            })
        })
        .await
}

/// Whether the request may change or delete what was found.
///
/// # Errors
/// Aborted when `If-Match` names another version; what the noun answers.
pub(crate) fn check<R: Resource>(ctx: &Ctx, row: &R) -> Result<()> {
    row.admit()?;
    ctx.check_match(row.revision())
}

/// The error for a resource that does not exist.
pub(crate) fn not_found<R: Resource>(uid: &Uidp) -> Error {
    Error::not_found(R::NOUN, uid.as_str())
}
