//! Finding the organization that somebody may want to join.

use domain::{
    Ctx, Error, Kind, Result, Rule,
    iam::{Group, Identity, OrgStatus},
};
use store::{Reader, iam::groups, rows};

use super::Groups;

impl Groups {
    /// The verified organization that has the domain of the caller's verified address as its name. The address is the one that a login
    /// provider of the server has vouched for when the user registered: what a token says now may be anybody's word.
    ///
    /// # Errors
    /// Not found in every case without an answer, which are told apart to nobody.
    pub async fn lookup(&self, ctx: &Ctx) -> Result<Group> {
        let mut reader = self.store.reader().await?;
        let caller = rows::get::<Identity>(&mut reader, &ctx.caller()?.identity).await?;
        organization_of(&mut reader, caller.as_ref()).await?.ok_or_else(|| {
            let message = "there is no verified organization for the domain of your verified email address";
            Error::new(Kind::NotFound, Rule::NoSuchResource, message)
        })
    }
}

/// The organization that a user may ask for access, if there is one.
///
/// # Errors
/// Internal when the storage fails.
pub(crate) async fn organization_of(reader: &mut Reader, user: Option<&Identity>) -> Result<Option<Group>> {
    let Some(domain) = user.and_then(domain_of) else { return Ok(None) };
    Ok(groups::verified(reader, &domain).await?.filter(|group| group.status != OrgStatus::Suspended))
}

/// The domain of a user's verified address, in the letters that names have.
fn domain_of(user: &Identity) -> Option<String> {
    let email = user.email.as_ref().filter(|_| user.uid.is_root())?;
    email.rsplit_once('@').map(|(_, domain)| domain.to_ascii_lowercase())
}
