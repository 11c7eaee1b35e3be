//! Changing tags.

use domain::{
    Ctx, Error, Noun, Op, Patch, Result, Rule, Uidp,
    error::Violation,
    registry::{Tag, TagSpec},
};
use store::{Writer, rows};

use super::{Tags, rules};
use crate::update::{self, Update};

impl Tags {
    /// Changes what `patch` changes of the tag; a name stays. The same values again change nothing.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version, or others change the tag all the time; invalid argument for another
    /// name and for values out of their limits.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<TagSpec>) -> Result<Tag> {
        update::run(&TagUpdate, &self.store, &self.turns, ctx, uid, &patch).await
    }
}

struct TagUpdate;

impl Update for TagUpdate {
    type Row = Tag;
    type Spec = TagSpec;
    type Findings = ();
    type Answer = Tag;

    fn spec(row: &Tag) -> &TagSpec {
        &row.spec
    }

    async fn judge(&self, _ctx: &Ctx, row: &Tag, wish: &TagSpec) -> Result<()> {
        if wish.name != row.spec.name {
            let description = "name cannot be changed; create another tag".to_owned();
            return Err(Error::fields(Rule::Immutable, vec![Violation { field: "name".to_owned(), description }]));
        }
        rules::check(wish)
    }

    async fn keep(_tx: &mut Writer, row: Tag) -> Result<Tag> {
        Ok(row)
    }

    async fn write(tx: &mut Writer, row: Tag, wish: TagSpec, (): &()) -> Result<Tag> {
        let tag = rows::update(tx, &row, &Tag { spec: wish, ..row.clone() }).await?;
        tx.announce(Noun::Tag, &tag.uid, Op::Updated, &tag).await?;
        Ok(tag)
    }
}
