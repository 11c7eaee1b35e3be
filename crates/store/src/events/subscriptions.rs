//! Subscriptions.

use domain::{
    Noun, Result, Uidp,
    events::{Subscription, SubscriptionSpec},
    iam::Group,
};

use crate::{
    BoxFuture, Reader, Writer, counts,
    iam::groups,
    list::{self, Filter, ListQuery, Listed, Term},
    table::{self, Column, Columns, Declared, Entity, Stamp, Values, WithParent, text},
};

/// Which subscriptions to list: nothing but the place narrows their lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionFilter;

impl Filter for SubscriptionFilter {
    fn terms(&self) -> Vec<Term> {
        Vec::new()
    }
}

/// What is declared of subscriptions.
pub(crate) static DECLARED: Declared =
    Declared::new::<Subscription>(Noun::Subscription, "subscriptions", COLUMNS, &groups::DECLARED, WithParent::Goes(go_with))
        .few();

const COLUMNS: &[Column] = &[text("sink")];

impl Entity for Subscription {
    fn declared() -> &'static Declared {
        &DECLARED
    }

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: SubscriptionSpec { sink: columns.string()? },
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        values.add(self.spec.sink.as_str());
        Ok(())
    }

    fn uid(&self) -> &Uidp {
        &self.uid
    }

    fn name(&self) -> &'static str {
        ""
    }

    fn stamp(&self) -> Stamp {
        Stamp { created_at: self.created_at, updated_at: self.updated_at, revision: self.revision }
    }

    fn stamped(self, Stamp { created_at, updated_at, revision }: Stamp) -> Self {
        Self { created_at, updated_at, revision, ..self }
    }
}

/// The subscription, if it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get(reader: &mut Reader, uid: &Uidp) -> Result<Option<Subscription>> {
    table::get(reader, uid).await
}

/// A page of subscriptions.
///
/// # Errors
/// Invalid argument when the query asks for what no list offers; internal when the storage fails.
pub async fn list(reader: &mut Reader, query: &ListQuery<SubscriptionFilter>) -> Result<Listed<Subscription>> {
    list::page(reader, query).await
}

/// How many subscriptions the group has, not counting those of groups below it.
///
/// # Errors
/// Internal when the storage fails.
pub async fn count(reader: &mut Reader, group: &Uidp) -> Result<u64> {
    counts::children(reader, Noun::Subscription, group.as_str()).await
}

/// Adds a subscription to a group that the write has read; answers it as stored.
///
/// # Errors
/// Internal when the storage fails.
pub async fn insert_in(tx: &mut Writer, group: &Group, subscription: &Subscription) -> Result<Subscription> {
    table::insert_in(tx, &group.uid, subscription.clone()).await
}

/// Removes a subscription. Answers whether it existed.
///
/// # Errors
/// Internal when the storage fails.
pub async fn delete(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
    Ok(table::delete::<Subscription>(tx, uid).await?.is_some())
}

/// Removes the subscriptions of a group that goes.
fn go_with<'a>(tx: &'a mut Writer, group: &'a Uidp) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move { table::remove::<Subscription>(tx, "parent", group).await.map(drop) })
}
