//! A repository of OpenVEX documents, one for each package, and one document of all statements.

use std::collections::{BTreeMap, HashMap};

use domain::{
    Error, Result, Timestamp, Uidp,
    iam::Group,
    vulnerabilities::{Advisory, DocumentFormat},
};
use formats::{
    archive::{Archive, Packer},
    openvex::feed::{self, Statement, around, entry, index_around, location, said, sum},
};
use store::{
    Store, rows,
    vulnerabilities::feeds::{self, Original, Place},
};
use tokio::task::spawn_blocking;

use super::{
    kept::{Kept, Pieces, Snapshot, Spool},
    osv::{RECORDS, too_long},
};
use crate::vulnerabilities::imports::part_uid;

/// The archive of the repository.
const ARCHIVE: &str = "vex-data.zip";
/// All statements in one document.
const DOCUMENT: &str = "openvex.json";

/// A feed while it is made.
struct Making {
    spool: Spool,
    /// The document of all statements, without what stands around them.
    all: Pieces,
    statements: u64,
    /// Where the statements about each package stand, with a byte in front of each.
    packages: BTreeMap<String, Vec<(u64, usize)>>,
}

/// Makes the feed of one snapshot.
pub(super) async fn make(store: &Store, kept: &Kept, group: &Uidp) -> Result<Snapshot> {
    let mut reader = store.reader().await?;
    let state = feeds::state(&mut reader, group).await?;
    let name = rows::get::<Group>(&mut reader, group).await?.map(|group| group.spec.name.as_str().to_owned());
    let mut making = Making { spool: kept.spool()?, all: Pieces::default(), statements: 0, packages: BTreeMap::new() };
    let mut place = Some(Place::default());
    while let Some(behind) = place {
        let (page, next) = feeds::statements(&mut reader, group, &behind).await?;
        place = next;
        making = apart(making, move |making| {
            page.into_iter().flat_map(|(original, made)| imported(&original, &made)).try_for_each(|said| making.add(said))
        })
        .await?;
    }
    let mut behind = Some(String::new());
    while let Some(from) = behind {
        let (page, next) = feeds::own(&mut reader, group, Some(DocumentFormat::OpenVex), &from).await?;
        behind = next;
        making = apart(making, move |making| {
            page.iter().filter_map(|advisory| said(advisory, None)).try_for_each(|said| making.add(said))
        })
        .await?;
    }
    drop(reader);
    let (group, author) = (group.to_string(), name.unwrap_or_default());
    spawn_blocking(move || making.finish(state, &group, &author)).await.map_err(Error::internal)?
}

async fn apart(mut making: Making, work: impl FnOnce(&mut Making) -> Result<()> + Send + 'static) -> Result<Making> {
    spawn_blocking(move || work(&mut making).map(|()| making)).await.map_err(Error::internal)?
}

/// What is said of the products of a document: those have versions, which advisories do not know.
fn imported(original: &Original, made: &[Advisory]) -> Vec<Statement> {
    let Ok(record) = formats::read(&original.content) else { return Vec::new() };
    let key = |key: String| (part_uid(&original.parent, DocumentFormat::OpenVex, &record.id, &key), key);
    let keys: HashMap<_, _> = record.parts.into_iter().map(|part| key(part.key)).collect();
    let approved = made.iter().filter(|advisory| advisory.is_published());
    approved.filter_map(|advisory| said(advisory, keys.get(&advisory.uid).map(String::as_str))).collect()
}

impl Making {
    fn add(&mut self, said: Statement) -> Result<()> {
        self.statements += 1;
        if self.statements > RECORDS {
            return Err(too_long(format!("more than {RECORDS} statements")));
        }
        let Statement { package, json } = said;
        self.spool.write(if self.statements == 1 { b" " } else { b"," }, &mut self.all)?;
        let from = self.spool.write(&json, &mut self.all)?;
        if let Some(package) = package {
            self.packages.entry(package).or_default().push((from, json.len()));
        }
        Ok(())
    }

    fn finish(mut self, state: feeds::State, group: &str, author: &str) -> Result<Snapshot> {
        let at = state.changed_at;
        let document = self.whole(group, author, at)?;
        let (mut archive, mut packer, mut pieces) = (Archive::default(), Packer::default(), Pieces::default());
        let (mut index, end) = index_around(at);
        for (number, (package, statements)) in std::mem::take(&mut self.packages).into_iter().enumerate() {
            let (mut content, behind) = around(&sum(&format!("{group} {package}")), author, at);
            for (number, (from, len)) in statements.into_iter().enumerate() {
                if number > 0 {
                    content.push(b',');
                }
                content.extend(self.spool.read(from, len)?);
                if content.len() as u64 > formats::archive::BYTES {
                    return Err(too_long(format!("what is said about {package}")));
                }
            }
            content.extend(behind);
            let location = location(&package);
            let file = packer.pack(&location, &content).map_err(too_long)?;
            archive.add(&file).map_err(too_long)?;
            self.spool.write(&file.bytes, &mut pieces)?;
            if number > 0 {
                index.push(b',');
            }
            index.extend(entry(&package, &location));
        }
        index.extend(end);
        let file = packer.pack(feed::INDEX, &index).map_err(too_long)?;
        archive.add(&file).map_err(too_long)?;
        self.spool.write(&file.bytes, &mut pieces)?;
        self.spool.write(&archive.end(), &mut pieces)?;
        let contents = BTreeMap::from([(ARCHIVE.to_owned(), pieces), (DOCUMENT.to_owned(), document)]);
        self.spool.finish(state, contents)
    }

    /// The document of all statements.
    fn whole(&mut self, group: &str, author: &str, at: Timestamp) -> Result<Pieces> {
        let (before, behind) = around(&sum(group), author, at);
        let mut document = Pieces::default();
        self.spool.write(&before, &mut document)?;
        let statements = std::mem::take(&mut self.all);
        document.append(statements);
        self.spool.write(&behind, &mut document)?;
        Ok(document)
    }
}
