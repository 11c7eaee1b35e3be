//! A database of OSV records: an archive of all, one for each ecosystem, and the names of these.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use aws_lc_rs::digest::{SHA256, digest};
use domain::{Error, Result, Rule, Uidp, vulnerabilities::DocumentFormat};
use formats::{
    archive::{Archive, Packer},
    osv::folder,
};
use store::{
    Store,
    vulnerabilities::{
        advisories,
        feeds::{self, Place},
    },
};
use tokio::task::spawn_blocking;

use super::{
    kept::{Kept, Pieces, Snapshot, Spool},
    published::{self, Record},
};

/// The archive of a folder; of all records where there is no folder.
const ARCHIVE: &str = "all.zip";
/// The names of the folders, a line each.
const ECOSYSTEMS: &str = "ecosystems.txt";
/// The most records of a feed.
pub(super) const RECORDS: u64 = 1_000_000;

/// A feed while it is made.
struct Making {
    packer: Packer,
    spool: Spool,
    /// The archives by their folders; that of everything has none.
    archives: BTreeMap<String, (Archive, Pieces)>,
    /// The ids of records that are in it.
    seen: HashSet<[u8; 16]>,
}

/// Makes the feed of one snapshot: pages are read while those before are packed.
pub(super) async fn make(store: &Store, kept: &Kept, group: &Uidp) -> Result<Snapshot> {
    let mut reader = store.reader().await?;
    let state = feeds::state(&mut reader, group).await?;
    let archives = BTreeMap::from([(String::new(), <(Archive, Pieces)>::default())]);
    let mut making = Making { packer: Packer::default(), spool: kept.spool()?, archives, seen: HashSet::new() };
    let mut place = Some(Place::default());
    while let Some(behind) = place {
        let (page, next) = feeds::originals(&mut reader, group, &behind).await?;
        place = next;
        making = apart(making, move |making| making.add_all(page.into_iter().filter_map(published::record))).await?;
    }
    let mut behind = Some(String::new());
    while let Some(from) = behind {
        let (page, next) = feeds::own(&mut reader, group, Some(DocumentFormat::Osv), &from).await?;
        behind = next;
        let views = advisories::views(&mut reader, page).await?;
        making = apart(making, move |making| making.add_all(views.iter().filter_map(published::own))).await?;
    }
    drop(reader);
    spawn_blocking(move || making.finish(state)).await.map_err(Error::internal)?
}

/// Does something with it on a thread where nobody is answered.
async fn apart(mut making: Making, work: impl FnOnce(&mut Making) -> Result<()> + Send + 'static) -> Result<Making> {
    spawn_blocking(move || work(&mut making).map(|()| making)).await.map_err(Error::internal)?
}

impl Making {
    fn add_all(&mut self, records: impl Iterator<Item = Record>) -> Result<()> {
        for record in records {
            let mut id = [0; 16];
            id.copy_from_slice(digest(&SHA256, record.id.as_bytes()).as_ref().get(..16).unwrap_or(&[0; 16]));
            // Several folders may have imported the same record: the first of them has it in the feed.
            if self.seen.insert(id) {
                self.add(&record)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, record: &Record) -> Result<()> {
        if self.seen.len() as u64 > RECORDS {
            return Err(too_long(format!("more than {RECORDS} records")));
        }
        let file = format!("{}.json", file_name(&record.id));
        let entry = self.packer.pack(&file, &record.content).map_err(too_long)?;
        let folders: BTreeSet<&str> = record.kinds.iter().filter_map(|kind| folder(kind)).collect();
        let (all, pieces) = self.archives.entry(String::new()).or_default();
        all.add(&entry).map_err(too_long)?;
        let from = self.spool.write(&entry.bytes, pieces)?;
        for folder in folders {
            let (archive, pieces) = self.archives.entry(folder.to_owned()).or_default();
            archive.add(&entry).map_err(too_long)?;
            pieces.add(from, entry.bytes.len() as u64);
        }
        Ok(())
    }

    fn finish(self, state: feeds::State) -> Result<Snapshot> {
        let Self { mut spool, archives, .. } = self;
        let mut contents = BTreeMap::new();
        let mut names = String::new();
        for (folder, (archive, mut pieces)) in archives {
            spool.write(&archive.end(), &mut pieces)?;
            let name = if folder.is_empty() { ARCHIVE.to_owned() } else { format!("{folder}/{ARCHIVE}") };
            if !folder.is_empty() {
                names.push_str(&folder);
                names.push('\n');
            }
            contents.insert(name, pieces);
        }
        let mut pieces = Pieces::default();
        spool.write(names.as_bytes(), &mut pieces)?;
        contents.insert(ECOSYSTEMS.to_owned(), pieces);
        spool.finish(state, contents)
    }
}

/// The id as a name of a file, which leads nowhere else and is one on all systems.
fn file_name(id: &str) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let plain = id.bytes().enumerate().map(|(at, byte)| match byte {
        b'.' if at == 0 => "%2E".to_owned(),
        byte if is_plain(&byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    plain.collect()
}

/// The error for a feed that would be too long.
pub(super) fn too_long(what: impl std::fmt::Display) -> Error {
    let description = format!("the feed would be too long ({what}); publish in several organizations, or ask for a folder");
    Error::precondition(Rule::ListTooLong, "LIST_TOO_LONG", "", description)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere() {
        assert_eq!(file_name("GO-2024-0001"), "GO-2024-0001");
        assert_eq!(file_name("../../etc/passwd"), "%2E.%2F..%2Fetc%2Fpasswd");
        assert_eq!(file_name("C:\\é"), "C%3A%5C%C3%A9");
    }
}
