//! What every noun has: one is read, listed and deleted in the same way. What only one noun can do stands with it.

use std::{fmt, sync::Arc};

use domain::{Ctx, Error, ListRequest, Op, Page, Result, Rule, Uidp, Versioned, ports::Seal};
use store::{Filter, ListQuery, Listed, Reader, Store, Stored, rows};

use crate::{page_tokens::PageTokens, turns::Turns};

/// A noun, as its use cases find and show it.
pub trait Noun: Found {
    /// Which noun.
    const NOUN: domain::Noun = rows::noun::<Self::Row>();
    /// Whether there is nothing to say when what is to be deleted does not exist.
    const MAY_BE_GONE: bool = false;
    /// Whether the event of a deletion has a body, which names what went.
    const DELETION_HAS_BODY: bool = true;
    /// Whether everybody sees those that have no parent.
    const ROOTS_ARE_PUBLIC: bool = false;
    /// How many of them what they live in may have: all of those go with it in one write.
    const MOST: u64 = u64::MAX;
    /// The order of lists that ask for none; empty for that of identifiers.
    const ORDER: &'static str = "";

    /// What callers get to see.
    type Answer: Shows<Self>;
    /// What lists can be narrowed by.
    type Filter: Filter<Row = Self::Row>;
    /// What its own use cases need beside the store.
    type Needs: Clone + Send + Sync;

    /// Whether the caller may look at this one, where the method's annotation does not say so.
    ///
    /// # Errors
    /// Permission denied.
    fn may_look(_ctx: &Ctx, _uid: &Uidp) -> Result<()> {
        Ok(())
    }

    /// Whether it may be changed and deleted at all.
    ///
    /// # Errors
    /// Failed precondition.
    fn admit(&self) -> Result<()> {
        Ok(())
    }
}

/// What use cases find: rows as they are stored, or with what they take from others.
pub trait Found: Versioned + Send + Sync + Sized + 'static {
    /// The rows.
    type Row: Stored;

    /// It, if it exists.
    ///
    /// # Errors
    /// Internal when the storage fails.
    fn find(reader: &mut Reader, uid: &Uidp) -> impl Future<Output = Result<Option<Self>>> + Send;
}

impl<T: Stored + Versioned> Found for T {
    type Row = Self;

    fn find(reader: &mut Reader, uid: &Uidp) -> impl Future<Output = Result<Option<Self>>> + Send {
        rows::get(reader, uid)
    }
}

/// What callers get to see of `N`: itself, or with what it names.
pub trait Shows<N: Found>: Versioned + Send + Sized {
    /// It, if it exists.
    ///
    /// # Errors
    /// Internal when the storage fails.
    fn one(reader: &mut Reader, uid: &Uidp) -> impl Future<Output = Result<Option<Self>>> + Send;

    /// A page.
    ///
    /// # Errors
    /// Invalid argument when the query asks for what no list offers; internal when the storage fails.
    fn page<F: Filter<Row = N::Row>>(
        reader: &mut Reader,
        query: &ListQuery<F>,
    ) -> impl Future<Output = Result<Listed<Self>>> + Send;
}

impl<T: Stored + Versioned> Shows<Self> for T {
    fn one(reader: &mut Reader, uid: &Uidp) -> impl Future<Output = Result<Option<Self>>> + Send {
        rows::get(reader, uid)
    }

    fn page<F: Filter<Row = Self>>(
        reader: &mut Reader,
        query: &ListQuery<F>,
    ) -> impl Future<Output = Result<Listed<Self>>> + Send {
        rows::list(reader, query)
    }
}

/// The use cases of a noun.
pub struct Nouns<N: Noun> {
    pub(crate) store: Store,
    pages: PageTokens,
    /// Of those who change the same one.
    pub(crate) turns: Turns,
    pub(crate) needs: N::Needs,
}

impl<N: Noun> Nouns<N> {
    /// The use cases over `store`, with page tokens of `seal`.
    pub fn new(store: Store, seal: Arc<dyn Seal>, needs: N::Needs) -> Self {
        Self { store, pages: PageTokens::new(seal), turns: Turns::default(), needs }
    }

    /// The one with this identifier.
    ///
    /// # Errors
    /// Not found; permission denied by what the noun asks for.
    pub async fn get(&self, ctx: &Ctx, uid: &Uidp) -> Result<N::Answer> {
        N::may_look(ctx, uid)?;
        let mut reader = self.store.reader().await?;
        N::Answer::one(&mut reader, uid).await?.ok_or_else(|| not_found::<N>(uid))
    }

    /// Those at places where the caller holds the method's capabilities, page by page.
    ///
    /// # Errors
    /// Invalid argument for an unusable page token, and for an order that the noun does not have.
    pub async fn list(&self, ctx: &Ctx, request: ListRequest, filter: N::Filter) -> Result<Page<N::Answer>> {
        let (mut query, paging) = self.pages.query(ctx, &request, filter)?;
        query.include_roots = N::ROOTS_ARE_PUBLIC;
        let mut reader = self.store.reader().await?;
        self.pages.page(N::Answer::page(&mut reader, &query).await?, &paging)
    }

    /// Deletes it with what goes with it.
    ///
    /// # Errors
    /// Not found, unless that is nothing to say; aborted when `If-Match` names another version; failed precondition for what the
    /// noun keeps, and while it has in it what does not go with it.
    pub async fn delete(&self, ctx: &Ctx, uid: &Uidp) -> Result<()> {
        let uid = uid.clone();
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let found = N::find(tx, &uid).await?;
                    if found.is_none() && N::MAY_BE_GONE {
                        return Ok(());
                    }
                    let current = found.ok_or_else(|| not_found::<N>(&uid))?;
                    check(tx.ctx(), &current)?;
                    rows::delete::<N::Row>(tx, &uid).await?;
                    tx.announce(N::NOUN, &uid, Op::Deleted, &N::DELETION_HAS_BODY.then_some(&uid)).await
                })
            })
            .await
    }
}

impl<N: Noun> Clone for Nouns<N> {
    fn clone(&self) -> Self {
        let (store, pages, turns, needs) = (self.store.clone(), self.pages.clone(), self.turns.clone(), self.needs.clone());
        Self { store, pages, turns, needs }
    }
}

impl<N: Noun> fmt::Debug for Nouns<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(N::NOUN.title()).finish_non_exhaustive()
    }
}

/// The resource.
///
/// # Errors
/// Not found.
pub(crate) async fn get<N: Noun>(reader: &mut Reader, uid: &Uidp) -> Result<N> {
    N::find(reader, uid).await?.ok_or_else(|| not_found::<N>(uid))
}

/// Whether the request may change or delete what was found.
///
/// # Errors
/// Aborted when `If-Match` names another version; what the noun answers.
pub(crate) fn check<N: Noun>(ctx: &Ctx, row: &N) -> Result<()> {
    row.admit()?;
    ctx.check_match(row)
}

/// The one that the request may change or delete.
///
/// # Errors
/// Not found; as [`check`].
pub(crate) async fn admitted<N: Noun>(ctx: &Ctx, reader: &mut Reader, uid: &Uidp) -> Result<N> {
    let found = get(reader, uid).await?;
    check(ctx, &found)?;
    Ok(found)
}

/// Whether `parent` may have one more of them.
///
/// # Errors
/// Failed precondition when it has as many as it may have.
pub(crate) async fn check_room<N: Noun>(reader: &mut Reader, parent: &Uidp) -> Result<()> {
    if rows::count::<N::Row>(reader, parent).await? < N::MOST {
        return Ok(());
    }
    let description =
        format!("{parent} has {} {}s, which is as many as it may have; one has to go first", N::MOST, N::NOUN.title());
    Err(Error::precondition(Rule::GroupFull, "GROUP_FULL", parent.as_str(), description))
}

/// The error for a resource that does not exist.
pub(crate) fn not_found<N: Noun>(uid: &Uidp) -> Error {
    Error::not_found(N::NOUN, uid.as_str())
}
