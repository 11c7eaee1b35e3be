//! Subscriptions: who is told what happens in a group.

mod create;
mod rules;

use std::sync::Arc;

use domain::{Result, Uidp, events::Subscription, ports::CheckUrl};
use store::{ListQuery, Listed, Reader, Writer, events::subscriptions};

pub use store::events::subscriptions::SubscriptionFilter;

use crate::nouns::{Noun, Nouns};

/// The use cases of subscriptions. They never change: who wants another sink makes another subscription.
pub type Subscriptions = Nouns<Subscription>;

impl Noun for Subscription {
    const NOUN: domain::Noun = domain::Noun::Subscription;

    type Answer = Self;
    type Filter = SubscriptionFilter;
    type Needs = Arc<dyn CheckUrl>;

    async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        subscriptions::get(reader, uid).await
    }

    async fn show(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        subscriptions::get(reader, uid).await
    }

    async fn list(reader: &mut Reader, query: &ListQuery<SubscriptionFilter>) -> Result<Listed<Self>> {
        subscriptions::list(reader, query).await
    }

    async fn remove(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
        subscriptions::delete(tx, uid).await
    }
}
