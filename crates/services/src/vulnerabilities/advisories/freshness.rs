//! How old what callers see is, and whether there is anything at all.

use domain::{Ctx, ListRequest, Result, Scopes, Uidp, UidpFilter};
use store::vulnerabilities::imports;

use super::{Advisories, AdvisoryFilter};

/// What an answer should say about what it was made from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freshness {
    /// Seconds since documents were last imported there; `None` where none ever were.
    pub age: Option<i64>,
    /// Whether there is no advisory there at all, whatever was asked for.
    pub is_empty: bool,
}

impl Advisories {
    /// How old the advisories are that the caller sees in this part of the tree. `found` is how many were found there.
    ///
    /// # Errors
    /// As [`Advisories::list`].
    pub async fn freshness(&self, ctx: &Ctx, part: UidpFilter, found: u64) -> Result<Freshness> {
        let newest = imports::newest(&mut self.store.reader().await?, &ctx.scopes()).await?;
        let is_empty = found == 0 && {
            let any = ListRequest { page_size: 1, ..ListRequest::first(part) };
            self.list(ctx, any, AdvisoryFilter::default()).await?.total == 0
        };
        Ok(Freshness { age: newest.map(|at| age(ctx, at)), is_empty })
    }

    /// Seconds since documents were last imported into the group of the advisory, or into a group that lies in this one.
    ///
    /// # Errors
    /// Internal when the storage fails.
    pub async fn age(&self, ctx: &Ctx, group: &Uidp) -> Result<Option<i64>> {
        let place = Scopes::Subtrees(vec![group.clone()]);
        let newest = imports::newest(&mut self.store.reader().await?, &place).await?;
        Ok(newest.map(|at| age(ctx, at)))
    }
}

fn age(ctx: &Ctx, at: domain::Timestamp) -> i64 {
    ctx.now.0.saturating_sub(at.0).max(0) / 1000
}
