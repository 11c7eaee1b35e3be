//! Accepting documents.

use domain::{
    Ctx, Error, Result, Uidp, Violations,
    iam::{Group, TermsAcceptance, TermsAccepted},
    text::excerpt,
};
use store::{iam::terms, rows};

use super::Terms;
use crate::{iam::placed::child_of, nouns};

impl Terms {
    /// Accepts the documents in the name of the group. Those that were accepted in its name before stay as they are. Answers all of
    /// them, each once.
    ///
    /// # Errors
    /// Invalid argument without a document, and for those that the server does not know; not found when there is no such group.
    pub async fn accept(&self, ctx: &Ctx, group: &Uidp, documents: Vec<String>) -> Result<Vec<String>> {
        let wished = self.known(documents)?;
        let (group, call, caller) = (group.clone(), ctx.clone(), ctx.caller()?.identity.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let group: Group = nouns::get(tx, &group).await?;
                    let before = terms::documents(tx, std::slice::from_ref(&group.uid)).await?;
                    let new: Vec<_> = wished.iter().filter(|document| !before.contains(document)).collect();
                    for document in &new {
                        let acceptance = TermsAcceptance {
                            uid: child_of(&call, &group.uid)?,
                            document: (*document).clone(),
                            accepted_by: caller.clone(),
                            created_at: call.now,
                            updated_at: call.now,
                            revision: tx.revision(),
                        };
                        rows::insert_in(tx, &group, &acceptance).await?;
                    }
                    if !new.is_empty() {
                        let accepted = TermsAccepted { group: group.uid.clone(), documents: wished.clone() };
                        tx.event(group.uid.as_str(), group.uid.as_str(), &accepted).await?;
                    }
                    Ok(wished)
                })
            })
            .await
    }

    /// The documents, each once, if the server knows them all.
    fn known(&self, documents: Vec<String>) -> Result<Vec<String>> {
        if documents.is_empty() {
            return Err(Error::field("document_ids", "document_ids must have at least one entry"));
        }
        let (mut known, mut violations) = (Vec::new(), Violations::default());
        for (index, document) in documents.into_iter().enumerate() {
            if !self.documents.iter().any(|one| one.id == document) {
                let field = format!("document_ids[{index}]");
                let ids: Vec<_> = self.documents.iter().map(|one| one.id.as_str()).collect();
                let instead = if ids.is_empty() { "none".to_owned() } else { ids.join(", ") };
                let shown = excerpt(&document);
                violations.add(&field, format!("{shown:?} is no document of this server; its documents are: {instead}"));
            } else if !known.contains(&document) {
                known.push(document);
            }
        }
        violations.check()?;
        Ok(known)
    }
}
