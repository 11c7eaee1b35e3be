//! What methods need: the gate asks here before it calls them.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    Ctx, Error, Kind, Result, Rule, Uidp,
    error::{Detail, MissingDocument},
    iam::TermsDocument,
    ports::Preconditions,
};
use store::{Store, iam::terms};

use super::up_from;

/// Refuses calls until the documents are accepted that their methods need. What was accepted before the request began, on whatever
/// server, counts: the database is asked each time, by one lookup in an index.
#[derive(Clone, Debug)]
pub struct RequiredTerms {
    store: Store,
    documents: Arc<[TermsDocument]>,
}

impl RequiredTerms {
    /// Over `store`; `documents` say which methods need them.
    #[must_use]
    pub fn new(store: Store, documents: Arc<[TermsDocument]>) -> Self {
        Self { store, documents }
    }
}

#[async_trait]
impl Preconditions for RequiredTerms {
    fn concern(&self, method: &str) -> bool {
        self.documents.iter().any(|document| document.is_for(method))
    }

    async fn check(&self, ctx: &Ctx, place: &Uidp) -> Result<()> {
        let mut missing: Vec<_> = self.documents.iter().filter(|document| document.is_for(ctx.method)).collect();
        let accepted = terms::documents(&mut self.store.reader().await?, &up_from(place)).await?;
        missing.retain(|document| !accepted.contains(&document.id));
        if missing.is_empty() { Ok(()) } else { Err(refused(ctx, &missing)) }
    }
}

fn refused(ctx: &Ctx, missing: &[&TermsDocument]) -> Error {
    let ids: Vec<_> = missing.iter().map(|document| document.id.as_str()).collect();
    let message = format!(
        "Precondition failed: this method needs documents that were not accepted for this group: {}; read them, and accept them in \
         the name of the group or of one above it (AcceptTerms)",
        ids.join(", ")
    );
    let missing = missing.iter().map(|document| MissingDocument {
        id: document.id.clone(),
        label: document.label.clone(),
        url: document.url.clone(),
    });
    let detail = Detail::TermsNotAccepted { old: ctx.api_version == "v1", missing: missing.collect() };
    Error::new(Kind::FailedPrecondition, Rule::TermsNotAccepted, message).with(detail)
}
