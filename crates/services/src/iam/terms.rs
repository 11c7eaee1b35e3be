//! Terms: legal documents that are accepted in the name of a group, for all that is in it, and that methods need.

mod accept;
mod required;

use std::{fmt, sync::Arc};

use domain::{
    Ctx, ListRequest, Page, Result, Uidp,
    iam::{Group, TermsAcceptance, TermsDocument},
    ports::Seal,
};
use store::{
    Store,
    iam::terms::{self, TermsAcceptanceFilter},
};

pub use required::RequiredTerms;

use crate::{nouns, page_tokens::PageTokens};

/// The use cases of terms.
#[derive(Clone)]
pub struct Terms {
    store: Store,
    pages: PageTokens,
    documents: Arc<[TermsDocument]>,
}

impl Terms {
    /// The use cases over `store`, with page tokens of `seal`; `documents` are those that can be accepted.
    #[must_use]
    pub fn new(store: Store, seal: Arc<dyn Seal>, documents: Arc<[TermsDocument]>) -> Self {
        Self { store, pages: PageTokens::new(seal), documents }
    }

    /// What counts for a group, page by page: what was accepted in its name, and in the names of those above it.
    ///
    /// # Errors
    /// Not found when there is no such group; invalid argument for an unusable page token, and for an order by name.
    pub async fn list(&self, ctx: &Ctx, group: &Uidp, request: ListRequest) -> Result<Page<TermsAcceptance>> {
        let mut request = request;
        // A page token is good for this group alone.
        request.uidp.ids = vec![group.clone()];
        let (query, paging) = self.pages.query(ctx, &request, TermsAcceptanceFilter)?;
        let mut reader = self.store.reader().await?;
        nouns::get::<Group>(&mut reader, group).await?;
        let listed = terms::list(&mut reader, &up_from(group), &query).await?;
        self.pages.page(listed, &paging)
    }
}

impl fmt::Debug for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terms").field("documents", &self.documents).finish_non_exhaustive()
    }
}

/// A place, and all that is above it.
fn up_from(place: &Uidp) -> Vec<Uidp> {
    std::iter::successors(Some(place.clone()), Uidp::parent).collect()
}
