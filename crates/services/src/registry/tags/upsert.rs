//! Making tags, and making them stand for something else.

use domain::{
    Ctx, Noun, Op, Result, Uidp,
    registry::{Tag, TagSpec},
};
use store::{Writer, registry::tags, rows};

use super::{Tags, rules};
use crate::{grants::require, iam::placed::child_of, nouns};

impl Tags {
    /// Makes a tag of the repository `parent` what `spec` says: a new one, or the one of this name, which keeps its digest where none
    /// is given. The same values again change nothing.
    ///
    /// # Errors
    /// Invalid argument for values out of their limits; not found when there is no such repository; permission denied when the
    /// tag stands for another digest and the caller does not hold `tag.update`; aborted when `If-Match` names another version.
    pub async fn upsert(&self, ctx: &Ctx, parent: &Uidp, spec: TagSpec) -> Result<Tag> {
        rules::check(&spec)?;
        let (parent, call) = (parent.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    match tags::find(tx, &parent, spec.name.as_str()).await? {
                        Some(known) => change(&call, tx, &parent, known, spec).await,
                        None => create(&call, tx, &parent, spec).await,
                    }
                })
            })
            .await
    }
}

async fn create(ctx: &Ctx, tx: &mut Writer, parent: &Uidp, spec: TagSpec) -> Result<Tag> {
    let uid = child_of(ctx, parent)?;
    let tag = Tag { uid, spec, created_at: ctx.now, updated_at: ctx.now, revision: tx.revision() };
    let tag = rows::insert(tx, &tag).await?;
    tx.announce(Noun::Tag, &tag.uid, Op::Created, &tag).await?;
    Ok(tag)
}

async fn change(ctx: &Ctx, tx: &mut Writer, parent: &Uidp, known: Tag, mut spec: TagSpec) -> Result<Tag> {
    spec.digest = spec.digest.or_else(|| known.spec.digest.clone());
    if known.spec.digest != spec.digest {
        // Where it is needed is said of the repository, which the caller has named: the tag may not be theirs to see.
        require(ctx, "tag.update", parent)?;
    }
    nouns::check(ctx, &known)?;
    if known.spec == spec {
        return Ok(known);
    }
    let tag = rows::update(tx, &known, &Tag { spec, ..known.clone() }).await?;
    tx.announce(Noun::Tag, &tag.uid, Op::Updated, &tag).await?;
    Ok(tag)
}
