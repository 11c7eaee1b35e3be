//! Creating subscriptions.

use domain::{
    Ctx, Noun, Op, Result, Uidp,
    events::{Subscription, SubscriptionSpec},
    iam::Group,
};
use store::rows;

use super::{Subscriptions, rules};
use crate::{iam::placed::child_of, nouns};

impl Subscriptions {
    /// Subscribes a URL to the events of the group `parent` and of everything below it. The same sink may be subscribed again: every
    /// call makes a subscription of its own.
    ///
    /// # Errors
    /// Invalid argument for a sink that is not an https URL; not found when there is no such group; failed precondition when it has as
    /// many subscriptions as it may have.
    pub async fn create(&self, ctx: &Ctx, parent: &Uidp, spec: SubscriptionSpec) -> Result<Subscription> {
        rules::check(&spec, &*self.needs)?;
        let (parent, call) = (parent.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let group: Group = nouns::get(tx, &parent).await?;
                    nouns::check_room::<Subscription>(tx, &group.uid).await?;
                    let subscription = Subscription {
                        uid: child_of(&call, &parent)?,
                        spec,
                        created_at: call.now,
                        updated_at: call.now,
                        revision: tx.revision(),
                    };
                    let subscription = rows::insert_in(tx, &group, &subscription).await?;
                    tx.announce(Noun::Subscription, &subscription.uid, Op::Created, &subscription).await?;
                    Ok(subscription)
                })
            })
            .await
    }
}
