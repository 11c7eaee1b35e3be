//! Users: identities whose identifier follows from how their issuer calls them.

use domain::{
    Ctx, Description, Error, Name, Result, Revision, Rule, Uidp,
    iam::{Identity, IdentitySpec, Relationship, identity::new_relationship_revision},
};

use super::Identities;

/// A user that is not there yet.
pub(crate) struct NewUser {
    /// Its identifier.
    pub(crate) uid: Uidp,
    /// What it is called.
    pub(crate) name: Name,
    /// How it proves who it is.
    pub(crate) relationship: Relationship,
    /// Its address, which somebody vouches for.
    pub(crate) email: Option<String>,
    /// Its address, which nobody vouches for.
    pub(crate) email_unverified: Option<String>,
}

impl NewUser {
    /// The user, as it begins. A user's identifier comes again when the user does: what its tokens are bound to does not.
    ///
    /// # Errors
    /// Internal when there are no random bytes.
    pub(crate) fn identity(self, ctx: &Ctx, revision: Revision) -> Result<Identity> {
        let Self { uid, name, relationship, email, email_unverified } = self;
        Ok(Identity {
            uid,
            spec: IdentitySpec { name, description: Description::default(), company: String::new(), relationship },
            email,
            email_unverified,
            last_seen_at: ctx.now,
            created_at: ctx.now,
            updated_at: ctx.now,
            relationship_revision: new_relationship_revision(&*ctx.entropy)?,
            revision,
        })
    }
}

/// A text in the letters that names have.
pub(crate) fn name_of(text: &str) -> Name {
    let letter = |c: char| match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9' | ' ' | '.' | '_' | '-') => c,
        _ => '-',
    };
    Name::trusted(text.chars().take(Name::MAX_LEN).map(letter).collect::<String>())
}

impl Identities {
    /// Deletes the caller's own user, with its role bindings. Its tokens stop working at once.
    ///
    /// # Errors
    /// Permission denied for anybody else, for what is no user, and with a token that was narrowed: it was given away to do less than
    /// that.
    pub async fn delete_own(&self, ctx: &Ctx, uid: &Uidp) -> Result<()> {
        let caller = ctx.caller()?;
        if caller.identity != *uid || !uid.is_root() || caller.operator {
            let message = "only the user itself can delete its account; id must be the subject of your token";
            return Err(Error::denied(Rule::OwnAccountOnly, message));
        }
        if caller.narrowing != domain::Narrowing::default() {
            let message = "a token that was narrowed cannot delete the account; use one that was not";
            return Err(Error::denied(Rule::OwnAccountOnly, message));
        }
        self.delete(ctx, uid).await
    }
}
