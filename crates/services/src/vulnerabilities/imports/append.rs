//! Appending documents to an import.

use std::sync::Arc;

use domain::{
    Ctx, Error, Result, Uidp,
    vulnerabilities::{AdvisoryImport, Document, Rejection},
};
use store::vulnerabilities::imports;

use super::{
    AdvisoryImports, absent, contended,
    prepare::{Prepared, prepare},
    write::write,
};

/// Most documents of one call.
pub(super) const DOCUMENTS: usize = 100;
/// Advisories after which a call reads no further documents: what they make is written in one transaction, for which others wait.
const ADVISORIES: usize = 50;

/// How far an import has come, and which of the documents were rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The import.
    pub import: AdvisoryImport,
    /// What was rejected.
    pub rejections: Vec<Rejection>,
}

impl AdvisoryImports {
    /// Imports documents, the first of which stands at `position`. Those that were appended before are passed over; of the others as
    /// many are imported as fit in one short write. With `is_last` the import is finished when none is left.
    ///
    /// # Errors
    /// Not found; invalid argument for a position behind what was appended; permission denied as for [`AdvisoryImports::create`];
    /// aborted when others append at the same time, and when `If-Match` names another version; failed precondition when the
    /// organization may have no more.
    pub async fn append(
        &self,
        ctx: &Ctx,
        uid: &Uidp,
        position: u64,
        documents: Vec<Document>,
        is_last: bool,
    ) -> Result<Appended> {
        let known = imports::get(&mut self.store.reader().await?, uid).await?.ok_or_else(|| absent(uid))?;
        ctx.check_match(&known)?;
        let parent = uid.parent().ok_or_else(|| absent(uid))?;
        if known.is_approved {
            self.check_approval(ctx, &parent)?;
        }
        if documents.len() > DOCUMENTS {
            return Err(Error::field("documents", format!("documents must have at most {DOCUMENTS} entries")));
        }
        let base = known.tally.documents;
        let Some(passed) = base.checked_sub(position) else {
            let description = format!("position must not be behind what was appended, which is {base} documents");
            return Err(Error::field("position", description));
        };
        let passed = usize::try_from(passed).unwrap_or(usize::MAX);
        let all = documents.len();
        let (mut prepared, mut advisories) = (Vec::<Prepared>::new(), 0);
        for document in documents.into_iter().skip(passed) {
            if advisories >= ADVISORIES {
                break;
            }
            let document = prepare(ctx, &parent, known.is_approved, document)?;
            if advisories > 0 && advisories + document.advisories() > 2 * ADVISORIES {
                break;
            }
            advisories += document.advisories();
            prepared.push(document);
            // Reading a document takes a few milliseconds at most, and others are served before the next.
            tokio::task::yield_now().await;
        }
        let is_finished = is_last && passed.saturating_add(prepared.len()) >= all;
        if prepared.is_empty() && (!is_finished || known.finished_at.is_some()) {
            return Ok(Appended { import: known, rejections: Vec::new() });
        }
        let (uid, prepared) = (uid.clone(), Arc::new(prepared));
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let mut import = imports::get(tx, &uid).await?.ok_or_else(|| absent(&uid))?;
                    if import.tally.documents != base {
                        return Err(contended(&uid));
                    }
                    let rejections = write(tx, &mut import, &parent, &prepared).await?;
                    import.updated_at = tx.now();
                    import.revision = tx.revision();
                    if is_finished {
                        import.finished_at = Some(tx.now());
                    }
                    imports::update(tx, &import).await?;
                    Ok(Appended { import, rejections })
                })
            })
            .await
    }
}
