//! Exporting advisories as documents.

use domain::{
    Error, Result, Uidp,
    iam::Group,
    vulnerabilities::{Document, DocumentFormat},
};
use store::vulnerabilities::{
    advisories,
    imports::{self, Key},
};

use super::AdvisoryImports;
use crate::nouns;

/// Most documents that came from elsewhere, of one page.
const DOCUMENTS: usize = 20;
/// Most advisories that are looked at for one page.
const ADVISORIES: usize = 100;
/// Bytes after which a page gets no further document.
const BYTES: usize = 1 << 20;

/// Where a page begins: behind a document, then behind an advisory.
const BEHIND_DOCUMENT: &str = "document:";
const BEHIND_ADVISORY: &str = "advisory:";

impl AdvisoryImports {
    /// A page of the group's advisories as documents, and where the next one begins, if there may be more: first those that came in
    /// this format, as they came; then all others, as far as the format has words for them.
    ///
    /// # Errors
    /// Invalid argument for a bad page token; not found when there is no such group.
    pub async fn export(
        &self,
        parent: &Uidp,
        format: DocumentFormat,
        page_token: &str,
    ) -> Result<(Vec<Document>, Option<String>)> {
        let mut reader = self.store.reader().await?;
        let _: Group = nouns::get(&mut reader, parent).await?;
        if let Some(behind) = page_token.strip_prefix(BEHIND_ADVISORY) {
            let found = advisories::behind(&mut reader, parent, behind, format, ADVISORIES).await?;
            let next =
                found.last().filter(|_| found.len() == ADVISORIES).map(|(last, _)| format!("{BEHIND_ADVISORY}{}", last.uid));
            let rest = found.into_iter().filter(|(_, came)| !came).map(|(advisory, _)| advisory).collect();
            let views = advisories::views(&mut reader, rest).await?;
            let document = |view| {
                let content = formats::write(format, view)?;
                Some(Document { name: view.advisory.public_id().to_string(), content })
            };
            return Ok((views.iter().filter_map(document).collect(), next));
        }
        let behind = match page_token.strip_prefix(BEHIND_DOCUMENT) {
            Some(behind) => behind,
            None if page_token.is_empty() => "",
            None => return Err(Error::field("page_token", "page_token must be that of the page before")),
        };
        let mut documents = imports::documents(&mut reader, Key { parent, format, record: behind }, DOCUMENTS).await?;
        let is_end = documents.len() < DOCUMENTS;
        let mut bytes = 0;
        let fit = documents.iter().take_while(|document| {
            let fits = bytes < BYTES;
            bytes += document.content.len();
            fits
        });
        let fit = fit.count();
        let is_whole = fit == documents.len();
        documents.truncate(fit);
        let next = match documents.last() {
            Some(last) if !(is_end && is_whole) => format!("{BEHIND_DOCUMENT}{}", last.name),
            _ => BEHIND_ADVISORY.to_owned(),
        };
        Ok((documents, Some(next)))
    }
}
