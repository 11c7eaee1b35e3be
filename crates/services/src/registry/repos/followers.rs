//! Counting who follows a repository.

use domain::{Ctx, ListRequest, Result, Uidp, UidpFilter};
use store::{
    ListQuery,
    registry::repos::{self, RepoFilter},
    rows,
};

use super::{Repos, Shown};
use crate::nouns;

impl Repos {
    /// How many repositories follow this one, of those that the caller may see.
    ///
    /// # Errors
    /// Not found.
    pub async fn count_followers(&self, ctx: &Ctx, uid: &Uidp) -> Result<u64> {
        let mut reader = self.store.reader().await?;
        if repos::without_overlay(&mut reader, uid).await?.is_none() {
            return Err(nouns::not_found::<Shown>(uid));
        }
        let request = ListRequest { page_size: 1, ..ListRequest::first(UidpFilter::default()) };
        let filter = RepoFilter { name: None, source: Some(uid.clone()) };
        let query = ListQuery::new(ctx.scopes(), &request, None, filter);
        Ok(rows::list(&mut reader, &query).await?.total)
    }
}
