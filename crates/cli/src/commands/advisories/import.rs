//! `provost advisories import`

use std::path::PathBuf;

use clap::Args;
use client::Client;
use contract::provost::vulnerabilities::v1::{
    AdvisoryDocument, AdvisoryImport, AppendAdvisoryDocumentsRequest, CreateAdvisoryImportRequest, GetAdvisoryImportRequest,
    RejectedDocument,
    rpc::{AppendAdvisoryDocuments, CreateAdvisoryImport, GetAdvisoryImport},
};
use serde_json::{Value, json};
use tokio::{
    sync::mpsc::{Receiver, channel},
    task::spawn_blocking,
};

use crate::{
    documents::{self, Entry},
    exit::{Exit, Failure},
    global::Global,
    output::{Format, remark, report},
    progress::Progress,
    resolve::{self, Kind},
};

/// Most documents of one call.
const DOCUMENTS: usize = 100;
/// Bytes after which a call gets no further document.
const BYTES: usize = 1 << 20;
/// Most rejected documents that a table shows.
const SHOWN: usize = 50;
/// Entries that are read ahead.
const AHEAD: usize = 16;

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// A document, a folder, a .zip or a .tar.gz
    #[arg(required = true)]
    path: PathBuf,
    /// The organization or folder that they are imported into, by name, path or UID
    #[arg(long, value_name = "GROUP", required = true)]
    parent: Option<String>,
    /// Let what is imported count at once, without a review
    #[arg(long)]
    approved: bool,
    /// Go on with an import that was interrupted, of the same path
    #[arg(long, value_name = "UID", conflicts_with = "approved")]
    resume: Option<String>,
}

/// Documents on their way.
struct Way<'a> {
    client: &'a Client,
    import: AdvisoryImport,
    rejected: Vec<RejectedDocument>,
    progress: Progress,
    read: u64,
}

impl Import {
    pub(super) async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let path = self.path;
        std::fs::metadata(&path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
        let parent = resolve::uid(global, client, Kind::Group, self.parent).await?;
        let import = if let Some(uid) = self.resume {
            client.call::<GetAdvisoryImport>(GetAdvisoryImportRequest { uid }).await?
        } else {
            let request = CreateAdvisoryImportRequest { parent: parent.clone(), approved: self.approved };
            client.call::<CreateAdvisoryImport>(request).await?
        };
        if import.uid.rsplit_once('/').map(|(parent, _)| parent) != Some(parent.as_str()) {
            return Err(Failure::usage(format!("import {} is one of another group", import.uid)));
        }
        let rejected = import.rejections.clone();
        let mut way = Way { client, import, rejected, progress: Progress::of("importing"), read: 0 };
        let (to, from) = channel(AHEAD);
        let reading = spawn_blocking(move || documents::read(&path, &to));
        let outcome = way.go(from).await;
        let read = reading.await.map_err(|error| Failure::failed(error.to_string()))?;
        let (uid, is_begun) = (way.import.uid.clone(), way.import.documents > 0);
        let hint = |failure: Failure| match failure.hint {
            None if is_begun => failure.hint(format!("go on where it stopped: provost advisories import … --resume {uid}")),
            _ => failure,
        };
        let unread = outcome.and_then(|unread| read.map(|()| unread)).map_err(hint)?;
        way.finish().await?;
        way.tell(global, unread)
    }
}

impl Way<'_> {
    /// Sends what comes, a few documents at a time. Answers what could not be read.
    async fn go(&mut self, mut from: Receiver<Entry>) -> Result<Vec<(String, String)>, Failure> {
        let (mut batch, mut bytes, mut unread) = (Vec::new(), 0, Vec::new());
        // What was appended before is not sent again: reading has an order.
        let passed = u64::try_from(self.import.documents).unwrap_or_default();
        while let Some(Entry { name, content }) = from.recv().await {
            match content {
                Err(reason) => unread.push((name, reason)),
                Ok(content) => {
                    self.read += 1;
                    if self.read <= passed {
                        continue;
                    }
                    bytes += content.len();
                    batch.push(AdvisoryDocument { name, content: content.into() });
                    if batch.len() >= DOCUMENTS || bytes >= BYTES {
                        self.send(std::mem::take(&mut batch)).await?;
                        bytes = 0;
                    }
                }
            }
        }
        self.send(batch).await?;
        Ok(unread)
    }

    /// Sends documents until the server has taken all of them.
    async fn send(&mut self, mut documents: Vec<AdvisoryDocument>) -> Result<(), Failure> {
        while !documents.is_empty() {
            let position = self.import.documents;
            let (uid, request) = (self.import.uid.clone(), documents.clone());
            let request = AppendAdvisoryDocumentsRequest { uid, position, documents: request, last: false };
            let answer = self.client.call::<AppendAdvisoryDocuments>(request).await?;
            self.rejected.extend(answer.rejections);
            self.import = answer.import.unwrap_or_default();
            let taken = usize::try_from(self.import.documents - position).unwrap_or_default();
            if taken == 0 {
                return Err(Failure::failed("the server takes no further document"));
            }
            documents.drain(..taken.min(documents.len()));
            self.progress.set(u64::try_from(self.import.documents).unwrap_or_default(), self.read);
        }
        Ok(())
    }

    async fn finish(&mut self) -> Result<(), Failure> {
        let (uid, position) = (self.import.uid.clone(), self.import.documents);
        let request = AppendAdvisoryDocumentsRequest { uid, position, documents: Vec::new(), last: true };
        let answer = self.client.call::<AppendAdvisoryDocuments>(request).await?;
        self.import = answer.import.unwrap_or_default();
        Ok(())
    }

    fn tell(self, global: &Global, unread: Vec<(String, String)>) -> Result<(), Failure> {
        let Self { import, rejected, progress, .. } = self;
        drop(progress);
        let mut rows: Vec<Vec<String>> = unread.into_iter().map(|(name, reason)| vec![name, reason]).collect();
        rows.extend(rejected.into_iter().map(|rejected| vec![rejected.name, rejected.reason]));
        let rejections: Vec<Value> = rows.iter().map(|row| json!({ "name": row.first(), "reason": row.get(1) })).collect();
        let mut value = json!({
            "id": import.uid,
            "documents": import.documents,
            "imported": import.imported,
            "unchanged": import.unchanged,
            "rejected": rejections.len(),
            "advisories_created": import.created_advisories,
            "advisories_updated": import.updated_advisories,
        });
        if let (true, Some(fields)) = (global.output == Format::Json, value.as_object_mut()) {
            fields.insert("rejections".to_owned(), rejections.into());
        }
        let refused = rows.len();
        let is_cut = global.output != Format::Json && refused > SHOWN;
        rows.truncate(if is_cut { SHOWN } else { refused });
        report(global.output, &import.uid, &value, Some((&["REJECTED", "REASON"], rows)))?;
        if is_cut {
            remark(&format!("{} more were rejected: -o json shows all of them", refused - SHOWN));
        }
        if refused > 0 && import.imported + import.unchanged == 0 {
            return Err(Failure::new(Exit::Failed, "nothing was imported: every document was rejected"));
        }
        if import.documents == 0 {
            remark("warning: there was no document: only files whose names end in .json are read");
        }
        Ok(())
    }
}
