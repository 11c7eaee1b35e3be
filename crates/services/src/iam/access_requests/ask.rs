//! Asking to be let in.

use domain::{
    Ctx, Error, Kind, Noun, Result, Rule, Timestamp, Uidp,
    error::Detail,
    iam::{AccessRequest, Group, Identity},
};
use store::{Reader, iam::access_requests, rows};

use super::AccessRequests;
use crate::{
    iam::{groups::organization_of, placed::child_of},
    nouns,
};

impl AccessRequests {
    /// Asks the owners of the organization to let the caller in, who may be in it already.
    ///
    /// # Errors
    /// Not found for every group that the caller could not have looked up, whether or not it exists; resource exhausted while the caller's
    /// last request is open, and for 30 days after it was refused; failed precondition when the organization has as many as it may have.
    pub async fn ask(&self, ctx: &Ctx, organization: &Uidp) -> Result<()> {
        let identity = &ctx.caller()?.identity;
        // Whoever may not ask does not get as far as a write.
        asked_by(&mut self.store.reader().await?, identity, organization).await?;
        let (identity, organization, call) = (identity.clone(), organization.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let (group, email) = asked_by(tx, &identity, &organization).await?;
                    if let Some(before) = access_requests::of(tx, &organization, &identity).await? {
                        may_ask_again(&call, before.again_at())?;
                        rows::delete::<AccessRequest>(tx, &before.uid).await?;
                    } else {
                        nouns::check_room::<AccessRequest>(tx, &organization).await?;
                    }
                    let request = AccessRequest {
                        uid: child_of(&call, &organization)?,
                        identity,
                        email,
                        refused_at: None,
                        created_at: call.now,
                        updated_at: call.now,
                        revision: tx.revision(),
                    };
                    rows::insert_in(tx, &group, &request).await.map(drop)
                })
            })
            .await
    }
}

/// The organization, and the address by which the user may ask for access to it.
async fn asked_by(reader: &mut Reader, identity: &Uidp, organization: &Uidp) -> Result<(Group, String)> {
    let user = rows::get::<Identity>(reader, identity).await?;
    let found = organization_of(reader, user.as_ref()).await?.filter(|group| group.uid == *organization);
    let email = user.and_then(|user| user.email);
    found.zip(email).ok_or_else(|| Error::not_found(Noun::Group, organization.as_str()))
}

fn may_ask_again(ctx: &Ctx, at: Option<Timestamp>) -> Result<()> {
    match at {
        None => Err(exhausted("you have asked for access before; wait for the answer of an owner")),
        Some(at) if at > ctx.now => {
            let wait = u64::try_from(at.seconds() - ctx.now.seconds()).unwrap_or_default();
            Err(exhausted("your last request was refused; ask again 30 days after that")
                .with(Detail::RetryAfter(std::time::Duration::from_secs(wait))))
        }
        Some(_) => Ok(()),
    }
}

fn exhausted(message: &str) -> Error {
    Error::new(Kind::ResourceExhausted, Rule::AlreadyAsked, message)
}
