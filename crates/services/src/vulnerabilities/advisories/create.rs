//! Creating advisories.

use domain::{
    Ctx, Noun, Op, Result, Uidp, Violations,
    iam::Group,
    vulnerabilities::{Advisory, AdvisorySpec},
};
use store::rows;

use super::{Advisories, EventDraft, events, rules};
use crate::{iam::placed::child_of, nouns};

impl Advisories {
    /// Creates an advisory in the group `parent`, with what has happened so far. Without an author it is the caller's.
    ///
    /// # Errors
    /// Invalid argument for values out of their limits; not found when there is no such group; permission denied for events that were
    /// reviewed where the caller does not hold `advisories.approve`, and for approved ones where the server lets nobody approve
    /// their own.
    pub async fn create(&self, ctx: &Ctx, parent: &Uidp, spec: AdvisorySpec, events: Vec<EventDraft>) -> Result<Advisory> {
        let uid = child_of(ctx, parent)?;
        let spec = AdvisorySpec { author: events::or_caller(ctx, spec.author)?, ..spec };
        let mut violations = Violations::default();
        rules::check(&spec, &mut violations);
        let mut recorded = Vec::with_capacity(events.len().min(rules::MAX_EVENTS));
        if rules::check_count(events.len(), &mut violations) {
            for (index, event) in events.into_iter().enumerate() {
                recorded.extend(events::recorded(ctx, &uid, event, &format!("events[{index}]."), &mut violations)?);
            }
        }
        violations.check()?;
        rules::check_size(&recorded)?;
        for event in &recorded {
            events::check_review(ctx, &self.needs, event, None)?;
        }
        events::sort(&mut recorded);
        let (now, parent) = (ctx.now, parent.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let group: Group = nouns::get(tx, &parent).await?;
                    let advisory = Advisory {
                        uid,
                        spec,
                        events: recorded,
                        withdrawn_at: None,
                        created_at: now,
                        updated_at: now,
                        revision: tx.revision(),
                    };
                    let advisory = rows::insert_in(tx, &group, &advisory).await?;
                    tx.announce(Noun::Advisory, &advisory.uid, Op::Created, &advisory).await?;
                    Ok(advisory)
                })
            })
            .await
    }
}
