//! Imports and exports: documents of others become advisories, and advisories documents for others.
//!
//! An import is a row that documents are appended to, a few at a time: each call reads its documents outside the writer, and writes
//! what they make in one short transaction together with how far the import has come. Whoever is interrupted goes on behind that.

mod append;
mod export;
mod prepare;
mod write;

use domain::{
    Ctx, Error, Kind, Noun, Result, Rule, Uidp,
    iam::Group,
    vulnerabilities::{AdvisoryImport, ImportTally, Rejection},
};
use store::{Store, vulnerabilities::imports};

pub use append::Appended;
pub(super) use prepare::part_uid;

use crate::{grants::require, iam::placed::child_of, nouns, settings::Settings};

/// The use cases of imports and exports.
#[derive(Clone, Debug)]
pub struct AdvisoryImports {
    store: Store,
    settings: Settings,
}

impl AdvisoryImports {
    /// The use cases over `store`.
    #[must_use]
    pub fn new(store: Store, settings: Settings) -> Self {
        Self { store, settings }
    }

    /// Begins an import into the group.
    ///
    /// # Errors
    /// Not found when there is no such group; for an import that counts at once, permission denied without `advisories.approve`, and
    /// where the server lets nobody approve their own.
    pub async fn create(&self, ctx: &Ctx, parent: &Uidp, is_approved: bool) -> Result<AdvisoryImport> {
        let uid = child_of(ctx, parent)?;
        if is_approved {
            self.check_approval(ctx, parent)?;
        }
        let (parent, now) = (parent.clone(), ctx.now);
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let _: Group = nouns::get(tx, &parent).await?;
                    let import = AdvisoryImport {
                        uid,
                        is_approved,
                        tally: ImportTally::default(),
                        created_at: now,
                        updated_at: now,
                        finished_at: None,
                        revision: tx.revision(),
                    };
                    imports::add(tx, &import).await?;
                    Ok(import)
                })
            })
            .await
    }

    /// The import, and what it has rejected as far as that is kept.
    ///
    /// # Errors
    /// Not found.
    pub async fn get(&self, uid: &Uidp) -> Result<(AdvisoryImport, Vec<Rejection>)> {
        let mut reader = self.store.reader().await?;
        let import = imports::get(&mut reader, uid).await?.ok_or_else(|| absent(uid))?;
        Ok((import, imports::rejections(&mut reader, uid).await?))
    }

    /// Whether the caller may let what they import count at once.
    fn check_approval(&self, ctx: &Ctx, at: &Uidp) -> Result<()> {
        require(ctx, "advisories.approve", at)?;
        if self.settings.self_approval {
            return Ok(());
        }
        let message = "permission denied: nobody approves an event that they have written; import without approval and ask somebody \
                       else to approve it";
        Err(Error::denied(Rule::OwnEvent, message))
    }
}

fn absent(uid: &Uidp) -> Error {
    Error::not_found(Noun::AdvisoryImport, uid.as_str())
}

/// The error for two who append to one import.
fn contended(uid: &Uidp) -> Error {
    let message = format!("others append to import {uid}; read how far it has come, and go on there");
    Error::new(Kind::Aborted, Rule::Contended, message)
}
