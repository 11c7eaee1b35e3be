//! Looking for users: requests that change nothing and tell whether somebody is registered.
//!
//! A user's identifier follows from issuer and subject, so anybody can name one. Whoever binds a role to it leaves an entry in the audit
//! log; whoever only tries that, or is refused, or asks, leaves one here, and may do so a limited number of times in a minute.

use std::{sync::Arc, time::Duration};

use domain::{Ctx, Error, Kind, Noun, Result, Rule, Uidp, error::Detail};
use store::{AuditEntry, Later, Store, audit};

use crate::minutes::Minutes;

/// Most users that one identity can look for in a minute.
pub const USERS_PER_MINUTE: u32 = 120;

/// Counts who looks for users, and tells the audit log. Cheap to clone.
#[derive(Clone, Debug)]
pub struct UserLookups {
    store: Store,
    counts: Arc<Minutes>,
}

impl UserLookups {
    /// Over `store`.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store, counts: Arc::default() }
    }

    /// Does `work`, which writes and names these identities. A rehearsal counts for each user, other than the caller, and so does a refusal:
    /// both tell whether that user exists.
    ///
    /// # Errors
    /// Resource exhausted when the caller has looked for too many users in this minute; what `work` answers.
    pub(crate) async fn watch<'n, T>(
        &self,
        ctx: &Ctx,
        named: impl IntoIterator<Item = &'n Uidp>,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let looks = if ctx.validate_only { Some(audit::REHEARSED) } else { None };
        self.run(ctx, named, looks, work).await
    }

    /// Does `work`, which tells whether this user exists.
    ///
    /// # Errors
    /// As [`UserLookups::watch`].
    pub(crate) async fn look<T>(&self, ctx: &Ctx, user: &Uidp, work: impl Future<Output = Result<T>>) -> Result<T> {
        self.run(ctx, [user], Some(audit::OK), work).await
    }

    /// `looks` is the outcome of a success that counts.
    async fn run<'n, T>(
        &self,
        ctx: &Ctx,
        named: impl IntoIterator<Item = &'n Uidp>,
        looks: Option<&'static str>,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let own = ctx.caller().ok().map(|caller| &caller.identity);
        let users: Vec<Uidp> = named.into_iter().filter(|uid| uid.is_root() && Some(*uid) != own).cloned().collect();
        if users.is_empty() {
            return work.await;
        }
        let count = u32::try_from(users.len()).unwrap_or(u32::MAX);
        let looked = self.counts.add(own, if looks.is_some() { count } else { 0 }, ctx.now);
        // Operators find everything out otherwise.
        if looked > USERS_PER_MINUTE && !ctx.is_operator() {
            return Err(too_many());
        }
        let outcome = work.await;
        let told = match &outcome {
            Ok(_) => looks,
            Err(error) if tells(error.kind()) => Some(error.rule().as_str()),
            Err(_) => None,
        };
        let Some(told) = told else { return outcome };
        if looks.is_none() {
            self.counts.add(own, count, ctx.now);
        }
        for user in users {
            let (noun, subject, outcome) = (Some(Noun::Identity), Some(user.to_string()), told.to_owned());
            self.store.later(Later::Audit(Box::new(AuditEntry { noun, subject, outcome, ..AuditEntry::of(ctx) })));
        }
        outcome
    }
}

/// Whether an error of this kind may depend on whether a user exists.
fn tells(kind: Kind) -> bool {
    matches!(kind, Kind::InvalidArgument | Kind::PermissionDenied | Kind::NotFound)
}

fn too_many() -> Error {
    let message = format!("you have looked for {USERS_PER_MINUTE} users in this minute; go on in the next one");
    Error::new(Kind::ResourceExhausted, Rule::LookupRate, message).with(Detail::RetryAfter(Duration::from_mins(1)))
}
