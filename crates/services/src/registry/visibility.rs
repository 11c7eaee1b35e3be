//! What everybody may see without logging in: a repository, or all repositories of a group.

use std::future::ready;

use domain::{Ctx, Error, Noun, Op, Result, Revision, Rule, Uidp, Version, Versioned, iam::Group, registry::Repo};
use serde::Serialize;
use store::{Reader, Store, Stored, iam::groups, rows};

use super::repos::Shown;
use crate::nouns::{Found, Shows};

/// Most groups of an organization that are public by themselves: whatever strangers ask for looks at all of them.
const PUBLIC_GROUPS: u64 = 100;

/// Whether something is public.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visibility {
    /// The repository or group.
    pub uid: Uidp,
    /// Whether it was made public itself.
    pub public: bool,
    /// The nearest group above that is public, and makes this so.
    pub public_by: Option<Uidp>,
    /// The commit that last wrote the repository or group.
    pub revision: Revision,
}

impl Versioned for Visibility {
    fn version(&self) -> Version<'_> {
        Version { uid: &self.uid, revision: self.revision }
    }
}

/// What can be made public.
pub trait Publishable: Stored + Versioned + Serialize + Clone + Shows<Self::Found> {
    /// How it is found when it is shown: events tell of what callers see.
    type Found: Found;

    /// Whether it is, by itself.
    fn public(&self) -> bool;
    /// The same, made public or not.
    #[must_use]
    fn made(self, public: bool) -> Self;

    /// Whether one more may be public where this one is.
    ///
    /// # Errors
    /// Failed precondition when as many are as may be.
    fn check_room(_reader: &mut Reader, _uid: &Uidp) -> impl Future<Output = Result<()>> + Send {
        ready(Ok(()))
    }
}

impl Publishable for Group {
    type Found = Self;

    fn public(&self) -> bool {
        self.public
    }

    fn made(self, public: bool) -> Self {
        Self { public, ..self }
    }

    async fn check_room(reader: &mut Reader, uid: &Uidp) -> Result<()> {
        if groups::count_public(reader, &uid.root()).await? < PUBLIC_GROUPS {
            return Ok(());
        }
        let description =
            format!("{PUBLIC_GROUPS} groups of the organization are public, which is as many as may be; publish one above them");
        Err(Error::precondition(Rule::GroupFull, "GROUP_FULL", uid.root_text(), description))
    }
}

impl Publishable for Repo {
    type Found = Shown;

    fn public(&self) -> bool {
        self.public
    }

    fn made(self, public: bool) -> Self {
        Self { public, ..self }
    }
}

/// The use cases of what is public.
#[derive(Clone, Debug)]
pub struct Visibilities {
    store: Store,
}

impl Visibilities {
    /// The use cases over `store`.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// Whether it is public, and by what.
    ///
    /// # Errors
    /// Not found.
    pub async fn get<T: Publishable>(&self, uid: &Uidp) -> Result<Visibility> {
        let mut reader = self.store.reader().await?;
        let found = find::<T>(&mut reader, uid).await?;
        of(&mut reader, uid, &found).await
    }

    /// Makes it public, or no longer so. The same again changes nothing.
    ///
    /// # Errors
    /// Not found; failed precondition when as many are public as may be; aborted when `If-Match` names another version.
    pub async fn set<T: Publishable>(&self, ctx: &Ctx, uid: &Uidp, public: bool) -> Result<Visibility> {
        let uid = uid.clone();
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let mut found = find::<T>(tx, &uid).await?;
                    tx.ctx().check_match(&found)?;
                    if found.public() != public {
                        if public {
                            T::check_room(tx, &uid).await?;
                        }
                        found = rows::update(tx, &found, &found.clone().made(public)).await?;
                        let shown = T::one(tx, &uid).await?;
                        tx.announce(rows::noun::<T>(), &uid, Op::Updated, &shown).await?;
                    }
                    of(tx, &uid, &found).await
                })
            })
            .await
    }
}

async fn find<T: Publishable>(reader: &mut Reader, uid: &Uidp) -> Result<T> {
    let noun: Noun = rows::noun::<T>();
    rows::get::<T>(reader, uid).await?.ok_or_else(|| Error::not_found(noun, uid.as_str()))
}

async fn of<T: Publishable>(reader: &mut Reader, uid: &Uidp, found: &T) -> Result<Visibility> {
    let public_by = groups::public_above(reader, uid).await?;
    Ok(Visibility { uid: uid.clone(), public: found.public(), public_by, revision: found.version().revision })
}
