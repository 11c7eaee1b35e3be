//! How delivery to subscriptions stands, and what was given up.

use std::{collections::BTreeSet, fmt, sync::Arc};

use domain::{
    Ctx, Error, Noun, Op, Result, Revision, Rule, Uidp, Violations, events::Subscription, list::page_token_refused, ports::Seal,
};
pub use store::deliveries::{DeadLetter, Delivery};
use store::{
    Store,
    deliveries::{self, Offset, Which},
};

use crate::nouns;

/// What page tokens are sealed for.
const PURPOSE: &str = "dead-letters";
/// The length of an event's id.
const ID: usize = 36;

/// The use cases of deliveries.
#[derive(Clone)]
pub struct Deliveries {
    store: Store,
    seal: Arc<dyn Seal>,
}

/// How delivery to a subscription stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The subscription.
    pub subscription: Uidp,
    /// What its sink has not taken; `None` when it has taken everything.
    pub delivery: Option<Delivery>,
    /// How many events were given up and are kept.
    pub dead_letters: u64,
}

/// A page of dead letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterPage {
    /// The dead letters, the oldest event first.
    pub items: Vec<DeadLetter>,
    /// Where the next page begins; empty on the last one.
    pub next_page_token: String,
    /// How many there are on all pages.
    pub total: u64,
}

impl Deliveries {
    /// The use cases over `store`, with page tokens of `seal`.
    pub fn new(store: Store, seal: Arc<dyn Seal>) -> Self {
        Self { store, seal }
    }

    /// How delivery to a subscription stands.
    ///
    /// # Errors
    /// Not found.
    pub async fn get(&self, uid: &Uidp) -> Result<Standing> {
        let mut reader = self.store.reader().await?;
        nouns::get::<Subscription>(&mut reader, uid).await?;
        let delivery = deliveries::get(&mut reader, uid).await?;
        let dead_letters = deliveries::count_letters(&mut reader, uid).await?;
        Ok(Standing { subscription: uid.clone(), delivery, dead_letters })
    }

    /// The dead letters of a subscription, page by page.
    ///
    /// # Errors
    /// Invalid argument for an unusable page token; not found.
    pub async fn letters(&self, uid: &Uidp, page_size: u32, page_token: &str) -> Result<LetterPage> {
        let after = if page_token.is_empty() { Offset::default() } else { self.open(uid, page_token)? };
        let mut reader = self.store.reader().await?;
        nouns::get::<Subscription>(&mut reader, uid).await?;
        let total = deliveries::count_letters(&mut reader, uid).await?;
        let mut items = deliveries::letters(&mut reader, uid, after, page_size.saturating_add(1)).await?;
        drop(reader);
        let size = usize::try_from(page_size).unwrap_or(usize::MAX);
        let is_last = items.len() <= size;
        items.truncate(size);
        let next_page_token = match items.last().filter(|_| !is_last) {
            Some(last) => self.seal(uid, last.event.offset())?,
            None => String::new(),
        };
        Ok(LetterPage { items, next_page_token, total })
    }

    /// Has dead letters sent again: those of these events, or all without any. Answers how many wait that did not before.
    ///
    /// # Errors
    /// Invalid argument for an event that is no dead letter of the subscription; not found; aborted when `If-Match` names another
    /// version.
    pub async fn replay(&self, ctx: &Ctx, uid: &Uidp, events: Vec<String>) -> Result<u64> {
        let mut violations = Violations::default();
        for (index, _) in events.iter().enumerate().filter(|(_, id)| id.len() != ID || !id.is_ascii()) {
            violations.add(format!("event_ids[{index}]"), "every entry must be the id of an event");
        }
        violations.check()?;
        let uid = uid.clone();
        let events: Vec<_> = events.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let subscription: Subscription = nouns::get(tx, &uid).await?;
                    nouns::check(tx.ctx(), &subscription)?;
                    let which = if events.is_empty() { Which::All } else { Which::Events(events) };
                    if let Which::Events(events) = &which
                        && deliveries::find_letters(tx, &uid, events).await? < events.len() as u64
                    {
                        return Err(Error::field(
                            "event_ids",
                            "event_ids has an event that is no dead letter of the subscription",
                        ));
                    }
                    let replayed = deliveries::replay(tx, &uid, &which).await?;
                    if replayed > 0 {
                        tx.announce(Noun::Subscription, &uid, Op::Updated, &()).await?;
                    }
                    Ok(replayed)
                })
            })
            .await
    }

    fn seal(&self, uid: &Uidp, after: Offset) -> Result<String> {
        self.seal.seal(PURPOSE, format!("{uid} {} {}", after.revision.0, after.ordinal).as_bytes())
    }

    fn open(&self, uid: &Uidp, token: &str) -> Result<Offset> {
        let refused = || page_token_refused(Rule::PageToken);
        let plain = self.seal.open(PURPOSE, token).and_then(|plain| String::from_utf8(plain).ok()).ok_or_else(refused)?;
        let mut parts = plain.split(' ');
        if parts.next() != Some(uid.as_str()) {
            return Err(page_token_refused(Rule::PageTokenMismatch));
        }
        let mut number = || parts.next().and_then(|part| part.parse::<i64>().ok()).ok_or_else(refused);
        Ok(Offset { revision: Revision(number()?), ordinal: number()? })
    }
}

impl fmt::Debug for Deliveries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deliveries").finish_non_exhaustive()
    }
}
