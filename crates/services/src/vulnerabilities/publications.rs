//! What the public reads: published advisories and what databases say about vulnerabilities, of organizations and folders that are public.

mod resolved;

use std::sync::Arc;

use domain::{
    Ctx, Error, ListRequest, Name, Page, Result, Rule, Scopes, Uidp,
    iam::Group,
    ports::Seal,
    vulnerabilities::{Advisory, Vulnerability},
};
use store::{ListQuery, Listed, Reader, Store, iam::groups, rows, vulnerabilities::known::VulnerabilityFilter};

pub use resolved::{ImageRef, Resolved, ResolvedOn};

use super::advisories::AdvisoryFilter;
use crate::page_tokens::PageTokens;

/// Most advisories of one answer, which strangers ask for: each of its pages counts them.
const MOST: u64 = 2_000;

/// The use cases of what is published.
#[derive(Clone, Debug)]
pub struct Publications {
    store: Store,
    pages: PageTokens,
}

/// A published advisory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The advisory.
    pub advisory: Advisory,
    /// The name of its organization.
    pub organization: String,
}

impl Publications {
    /// The use cases over `store`, with page tokens of `seal`.
    pub fn new(store: Store, seal: Arc<dyn Seal>) -> Self {
        Self { store, pages: PageTokens::new(seal) }
    }

    /// A page of the published advisories about artifacts of this name and these vulnerabilities; what is empty admits all.
    ///
    /// # Errors
    /// Failed precondition when they are too many for one answer; invalid argument for an unusable page token.
    pub async fn advisories(
        &self,
        ctx: &Ctx,
        request: ListRequest,
        artifact: &str,
        aliases: Vec<String>,
    ) -> Result<Page<Published>> {
        let artifact_names = Some(artifact.to_owned()).filter(|name| !name.is_empty()).into_iter().collect();
        let filter = AdvisoryFilter { artifact_names, aliases, published: true, ..AdvisoryFilter::default() };
        let mut reader = self.store.reader().await?;
        let groups = groups::public(&mut reader).await?;
        if filter.artifact_names.is_empty() && filter.aliases.is_empty() {
            check_short(rows::count_below::<Advisory>(&mut reader, &groups).await?)?;
        }
        let (query, paging) = self.pages.query_within(ctx, public(groups), &request, filter)?;
        let Listed { items, next, total, skipped } = rows::list(&mut reader, &query).await?;
        check_short(total)?;
        let mut published = Vec::<Published>::with_capacity(items.len());
        for advisory in items {
            let known = published.last().filter(|last| last.advisory.uid.root_text() == advisory.uid.root_text());
            let organization = match known {
                Some(last) => last.organization.clone(),
                None => name_of(&mut reader, &advisory.uid.root()).await?,
            };
            published.push(Published { advisory, organization });
        }
        self.pages.page(Listed { items: published, next, total, skipped }, &paging)
    }

    /// A page of what databases say about the vulnerabilities of these ids; without any, about all.
    ///
    /// # Errors
    /// Invalid argument for an unusable page token.
    pub async fn vulnerabilities(&self, ctx: &Ctx, request: ListRequest, ids: Vec<String>) -> Result<Page<Vulnerability>> {
        let mut reader = self.store.reader().await?;
        let groups = groups::public(&mut reader).await?;
        let (query, paging): (ListQuery<VulnerabilityFilter>, _) =
            self.pages.query_within(ctx, public(groups), &request, VulnerabilityFilter { ids })?;
        self.pages.page(rows::list(&mut reader, &query).await?, &paging)
    }
}

/// These groups and what is below them.
fn public(groups: Vec<Uidp>) -> Arc<Scopes> {
    Arc::new(Scopes::Subtrees(groups))
}

/// Whether so many may be in one answer.
fn check_short(items: u64) -> Result<()> {
    if items <= MOST {
        return Ok(());
    }
    let description =
        format!("these would be {items} advisories, and at most {MOST} are listed; name a package, or vulnerabilities");
    Err(Error::precondition(Rule::ListTooLong, "LIST_TOO_LONG", "", description))
}

async fn name_of(reader: &mut Reader, org: &Uidp) -> Result<String> {
    let found = rows::get::<Group>(reader, org).await?;
    Ok(found.as_ref().map(|group| Name::as_str(&group.spec.name)).unwrap_or_default().to_owned())
}
